package io.ringtable.acceptance.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Qpid JMS, python-qpid-proton and rhea, each alone and each with each other. */
class InteropTest {
    private static final int COUNT = 25; // more than the credit that the programs give at first

    @RegisterExtension
    static final Bench BENCH = new Bench();

    private static BrokerProcess broker;

    @BeforeAll
    static void startBroker() {
        UnaryOperator<BrokerSettings> store = Engine.any().on(BENCH);
        broker = BENCH.broker(settings -> store.apply(settings).asJar().together("together.#"))
                .start();
    }

    @Test
    void jmsSendsToAndReceivesFromAQueueAndADurableSubscription() throws Exception {
        both(new JmsClient(broker.amqpUrl()), new JmsClient(broker.amqpUrl()), "jms");
    }

    @Test
    void pythonSendsToAndReceivesFromAQueueAndADurableSubscription() throws Exception {
        Client python = ProcessClient.python(broker.amqpUrl());
        both(python, python, "python");
    }

    @Test
    void nodeSendsToAndReceivesFromAQueueAndADurableSubscription() throws Exception {
        Client node = ProcessClient.node(broker.amqpUrl());
        both(node, node, "node");
    }

    @Test
    void jmsAndPythonUnderstandEachOther() throws Exception {
        Client python = ProcessClient.python(broker.amqpUrl());
        both(new JmsClient(broker.amqpUrl()), python, "jms-python");
        both(python, new JmsClient(broker.amqpUrl()), "python-jms");
    }

    @Test
    void jmsAndNodeUnderstandEachOther() throws Exception {
        Client node = ProcessClient.node(broker.amqpUrl());
        both(new JmsClient(broker.amqpUrl()), node, "jms-node");
        both(node, new JmsClient(broker.amqpUrl()), "node-jms");
    }

    @Test
    void pythonAndNodeUnderstandEachOther() throws Exception {
        Client python = ProcessClient.python(broker.amqpUrl());
        Client node = ProcessClient.node(broker.amqpUrl());
        both(python, node, "python-node");
        both(node, python, "node-python");
    }

    /** It names what it asks the coordinator for by symbols, and writes a null where a global id could be. */
    @Test
    void pythonsTransactionsAreRolledBackLostAndCommitted() throws Exception {
        ProcessClient python = ProcessClient.python(broker.amqpUrl());
        for (boolean settles : new boolean[] {false, true}) {
            String from = "together.transacted-from-" + settles;
            String to = "together.transacted-to-" + settles;
            python.send("queue", from, COUNT, "moved");
            python.transact(from, to, COUNT, "abort", settles);
            python.transact(from, to, COUNT, "lose", settles);
            python.transact(from, to, COUNT, "commit", settles);
            assertThat(python.receive("queue", to, COUNT)).isEqualTo(expected(COUNT, "moved"));

            // Nothing is there twice: the next message is the first one now.
            for (String queue : List.of(from, to)) {
                python.send("queue", queue, 1, "last");
                assertThat(python.receive("queue", queue, 1)).isEqualTo(expected(1, "last"));
            }
        }
    }

    private static void both(Client sender, Client receiver, String name) throws Exception {
        queue(sender, receiver, "queue-" + name);
        topic(sender, receiver, "topic-" + name);
    }

    private static void queue(Client sender, Client receiver, String queue) throws Exception {
        sender.send("queue", queue, COUNT, "für alle");
        assertThat(receiver.receive("queue", queue, COUNT)).isEqualTo(expected(COUNT, "für alle"));

        // Accepted messages are gone: the next message is the first one now.
        sender.send("queue", queue, 1, "last");
        assertThat(receiver.receive("queue", queue, 1)).isEqualTo(expected(1, "last"));
    }

    private static void topic(Client sender, Client receiver, String topic) throws Exception {
        receiver.subscribe(topic, "container-" + topic, "subscription");
        sender.send("topic", topic, COUNT, "für alle");
        assertThat(receiver.resume(topic, "container-" + topic, "subscription", COUNT))
                .isEqualTo(expected(COUNT, "für alle"));

        sender.send("topic", topic, 1, "last");
        assertThat(receiver.resume(topic, "container-" + topic, "subscription", 1))
                .isEqualTo(expected(1, "last"));
    }

    private static List<Client.Received> expected(int count, String prefix) {
        List<Client.Received> expected = new ArrayList<>();
        for (int n = 0; n < count; n++) {
            expected.add(new Client.Received(prefix + " " + n, n));
        }
        return expected;
    }
}
