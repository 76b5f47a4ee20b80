package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses that live in different shards of one node, through one connection of Qpid JMS. */
@Timeout(60)
class HomesScenarioTest {
    private static final long WAIT_MS = 30_000;
    private static final int SHARDS = 3;
    private static final TestSettings SETTINGS = TestSettings.of("ringtable.shards", SHARDS);

    @TempDir
    private Path directory;

    private TestBroker broker;
    private Connection connection;
    private Session session;

    @BeforeEach
    void start() throws Exception {
        connect("");
    }

    private void connect(String options) throws JMSException {
        broker = TestBroker.start(directory, SETTINGS);
        open(options);
    }

    private void open(String options) throws JMSException {
        connection = broker.jms(options).createConnection();
        connection.setClientID("homes");
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    @AfterEach
    void stop() throws Exception {
        connection.close();
        broker.close();
    }

    private int homeOf(String address) {
        Address found = broker.shard().lookup().find(address);
        return ShardIds.shardOf(found.id());
    }

    /** Publishes one message to each of so many queues that every shard has some. */
    private List<Queue> queues(int count) throws JMSException {
        List<Queue> queues = new ArrayList<>();
        Set<Integer> homes = new HashSet<>();
        for (int i = 0; i < count; i++) {
            Queue queue = session.createQueue("work." + i);
            send(session, queue, "of " + i);
            queues.add(queue);
            homes.add(homeOf("work." + i));
        }
        assertThat(homes).hasSize(SHARDS);
        return queues;
    }

    private static void send(Session session, Queue queue, String text) throws JMSException {
        try (MessageProducer producer = session.createProducer(queue)) {
            producer.send(session.createTextMessage(text));
        }
    }

    private static String text(Message message) throws JMSException {
        return message == null ? null : ((TextMessage) message).getText();
    }

    @Test
    void addressesAreSpreadAndKeepTheirHomesWhenTheNodeStartsAgain() throws Exception {
        queues(6);
        List<Integer> before = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            before.add(homeOf("work." + i));
        }
        connection.close();
        broker.close();

        connect("");

        for (int i = 0; i < 6; i++) {
            assertThat(homeOf("work." + i)).isEqualTo(before.get(i));
            MessageConsumer consumer = session.createConsumer(session.createQueue("work." + i));
            assertThat(text(consumer.receive(WAIT_MS))).isEqualTo("of " + i);
        }
        assertThat(Collections.frequency(before, 0)).isBetween(1, 2);
    }

    @Test
    void aTransactionOverTwoHomesIsRolledBackAndSaysWhy() throws Exception {
        List<Queue> queues = queues(6);
        Queue one = queues.get(0);
        Queue other = queues.stream()
                .filter(queue -> homeOf(name(queue)) != homeOf(name(one)))
                .findFirst()
                .orElseThrow();
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        send(transacted, one, "lost");
        send(transacted, other, "lost");

        assertThatThrownBy(transacted::commit)
                .hasMessageContaining("RT-4480")
                .hasMessageContaining("'" + name(one) + "' lives in shard")
                .hasMessageContaining("'" + name(other) + "'");

        for (Queue queue : List.of(one, other)) {
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(text(consumer.receive(WAIT_MS))).startsWith("of ");
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }

    @Test
    void aTransactionAnswersRequestsWhereverTheReplyQueueLives() throws Exception {
        List<Queue> queues = queues(6);
        List<TemporaryQueue> replies = new ArrayList<>();
        for (int i = 0; i < SHARDS; i++) {
            replies.add(session.createTemporaryQueue());
        }
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageConsumer requests = transacted.createConsumer(queues.get(0));
        assertThat(text(requests.receive(WAIT_MS))).isEqualTo("of 0");
        MessageProducer anywhere = transacted.createProducer(null);
        for (TemporaryQueue reply : replies) {
            anywhere.send(reply, transacted.createTextMessage("answer"));
        }
        transacted.commit();

        for (TemporaryQueue reply : replies) {
            assertThat(text(session.createConsumer(reply).receive(WAIT_MS))).isEqualTo("answer");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000})
    void aConsumerOfDeadLettersGetsThoseOfAllShards(int prefetch) throws Exception {
        List<Queue> queues = queues(6);
        for (Queue queue : queues) {
            reject(queue);
        }
        connection.close();
        open("jms.prefetchPolicy.all=" + prefetch);
        Queue letters = session.createQueue("DLQ");
        Awaitility.await().until(() -> browsed(letters).size() == 6); // each moves with a flush of its own

        Set<String> got = new HashSet<>();
        try (MessageConsumer consumer = session.createConsumer(letters)) {
            for (int i = 0; i < 6; i++) {
                got.add(text(consumer.receive(WAIT_MS)));
            }
            assertThat(consumer.receiveNoWait()).isNull();
        }
        assertThat(got).containsExactlyInAnyOrder("of 0", "of 1", "of 2", "of 3", "of 4", "of 5");
        assertThat(browsed(letters)).isEmpty();
    }

    private void reject(Queue queue) throws JMSException {
        try (Connection other = broker.jms(
                        "jms.prefetchPolicy.all=0&jms.redeliveryPolicy.maxRedeliveries=0&jms.redeliveryPolicy.outcome=REJECTED")
                .createConnection()) {
            other.start();
            Session recovers = other.createSession(false, Session.CLIENT_ACKNOWLEDGE);
            MessageConsumer consumer = recovers.createConsumer(queue);
            assertThat(consumer.receive(WAIT_MS)).isNotNull();
            recovers.recover();
            assertThat(consumer.receiveNoWait()).isNull(); // the client has rejected it
        }
    }

    private List<String> browsed(Queue queue) throws JMSException {
        List<String> texts = new ArrayList<>();
        try (QueueBrowser browser = session.createBrowser(queue)) {
            for (Enumeration<?> all = browser.getEnumeration(); all.hasMoreElements(); ) {
                texts.add(text((Message) all.nextElement()));
            }
        }
        return texts;
    }

    @Test
    void aDurableSubscriptionMovesToATopicOfAnotherHome() throws Exception {
        Topic one = session.createTopic("news.a");
        session.createDurableConsumer(one, "reader").close();
        Topic other = session.createTopic("news.b");
        session.createDurableConsumer(other, "reader").close();
        assertThat(homeOf("news.a")).isNotEqualTo(homeOf("news.b"));

        session.createProducer(one).send(session.createTextMessage("not for it"));
        session.createProducer(other).send(session.createTextMessage("for it"));

        MessageConsumer reader = session.createDurableConsumer(other, "reader");
        assertThat(text(reader.receive(WAIT_MS))).isEqualTo("for it");
        reader.close();
        session.unsubscribe("reader");
        assertThat(broker.shard().lookup().find("homes", "reader")).isNull();
    }

    @Test
    void largeBodiesAreStagedAtTheHomeOfTheirAddress() throws Exception {
        String large = "x".repeat(300_000);
        for (Queue queue : queues(6)) {
            send(session, queue, large);
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(text(consumer.receive(WAIT_MS))).startsWith("of ");
            assertThat(text(consumer.receive(WAIT_MS))).isEqualTo(large);
        }
    }

    private static String name(Queue queue) {
        try {
            return queue.getQueueName();
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }
}
