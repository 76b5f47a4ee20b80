package io.ringtable.broker.amqp;

import static io.ringtable.broker.amqp.MovingAddresses.WAIT_MS;
import static io.ringtable.broker.amqp.MovingAddresses.receive;
import static io.ringtable.broker.amqp.MovingAddresses.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A topic is in the middle of its move while one node has its old home, and another one the next (ADR 85, ADR 88). */
@Timeout(180)
class MovedTopicNodesScenarioTest {
    private static final String TOPIC = "kept";
    private static final String LONG = "long";
    private static final String SINCE = "?since=2000-01-01T00:00:00Z";
    private static final int OWED_MAX = 4_096; // copies that a subscription may owe before it gets more
    private static final int KEPT = 5_000;

    private static TestCluster nodes;
    private static MovingAddresses moving;
    private static int to; // of the first topic

    /** Begins the moves at a node that has both shards, and then has another node take one of them. */
    @BeforeAll
    static void moveAndPart() throws Exception {
        nodes = new TestCluster(TestCluster.settings(2, "3s")
                .with(
                        "ringtable.dispatch.addresses[0].match",
                        TOPIC,
                        "ringtable.dispatch.addresses[0].retention-bytes",
                        "10KB",
                        "ringtable.dispatch.addresses[1].match",
                        LONG,
                        "ringtable.dispatch.addresses[1].retention-age",
                        "1h"));
        TestBroker first = nodes.start("a", "");
        first.awaitOwned(0, 1);
        moving = new MovingAddresses(first, Administrator.of(first, ""), 2);
        publishKept(first, 0, KEPT);
        moving.move(LONG);
        publishKept(first, KEPT, KEPT + 10);
        try (JMSContext context = client(first, "unread")) {
            Topic topic = context.createTopic(TOPIC);
            context.createDurableConsumer(topic, "s").close();
            publish(first, 0, 5);
            to = moving.move(TOPIC);
            publish(first, 5, 10);
        }
        nodes.start("b", "");
        await().until(() -> nodes.nodes().stream().allMatch(node -> shardsOf(node) == 1));
        nodes.start("c", ""); // there is none for it
        nodes.awaitSeen();
        nodes.awaitKnown(TOPIC, 2);
        nodes.awaitKnown(LONG, 2);
        assertThat(shardsOf(nodes.node("c"))).isZero();
    }

    @AfterAll
    static void stop() {
        if (nodes != null) {
            nodes.close();
        }
    }

    private static long shardsOf(TestBroker node) {
        return node.status().shards().stream().filter(shard -> shard.isActive()).count();
    }

    /** Publishes what the old home keeps, or the next one. */
    private static void publishKept(TestBroker node, int from, int end) {
        try (JMSContext context = node.jms("jms.forceAsyncSend=true").createContext(JMSContext.SESSION_TRANSACTED)) {
            JMSProducer producer = context.createProducer();
            for (int i = from; i < end; i++) {
                producer.send(context.createTopic(LONG), "m " + i);
                if (i % 1_000 == 999) {
                    context.commit();
                }
            }
            context.commit();
        }
    }

    private static JMSContext client(TestBroker node, String id) {
        JMSContext context = node.jms().createContext();
        context.setClientID(id);
        return context;
    }

    private static void publish(TestBroker node, int from, int end) {
        try (JMSContext context = node.jms().createContext()) {
            JMSProducer producer = context.createProducer();
            for (int i = from; i < end; i++) {
                producer.send(context.createTopic(TOPIC), "m " + i);
            }
        }
    }

    private static void publishToTarget(TestBroker node, int number) throws JMSException {
        try (Connection connection = node.jms().createConnection()) {
            Session session = connection.createSession();
            session.createProducer(session.createTopic(TOPIC)).send(session.createTextMessage("m " + number));
        }
    }

    private static String word(String topic) throws Exception {
        return nodes.ask("SELECT owner FROM ringtable.home WHERE scope = 'address' AND name = '" + topic + "'");
    }

    @Test
    void consumersAtBothNodesGetWhatBothHomesHaveAndTheOldOneEndsAsTheNextOneFills() throws Exception {
        TestBroker a = nodes.node("a");
        TestBroker b = nodes.node("b");
        try (JMSContext unread = client(b, "unread");
                JMSContext past = client(a, "past");
                JMSContext plain = b.jms().createContext()) {
            assertThat(word(TOPIC)).doesNotContain("only");
            JMSConsumer durable = unread.createDurableConsumer(unread.createTopic(TOPIC), "s");
            assertThat(receive(durable, 10)).isEqualTo(texts(0, 10)); // the old home's first
            await().until(() -> word(TOPIC).contains("only"));
            JMSConsumer replayed = past.createDurableConsumer(past.createTopic(TOPIC + SINCE), "s");
            assertThat(receive(replayed, 10)).isEqualTo(texts(0, 10));
            JMSConsumer live = plain.createConsumer(plain.createTopic(TOPIC));
            publish(a, 10, 15);
            publish(b, 15, 18);
            publishToTarget(a, 18);
            publishToTarget(b, 19);
            for (JMSConsumer each : List.of(durable, replayed, live)) {
                assertThat(receive(each, 10)).isEqualTo(texts(10, 20));
            }
        }
        try (JMSContext context = a.jms().createContext()) {
            String large = "x".repeat(1_000);
            for (int i = 0; i < 12; i++) {
                context.createProducer().send(context.createTopic(TOPIC), large);
            }
        }
        await().until(() -> word(TOPIC).isEmpty());
        moving.awaitMoved(TOPIC, to);
        try (JMSContext unread = client(a, "unread")) {
            JMSConsumer durable = unread.createDurableConsumer(unread.createTopic(TOPIC), "s");
            publish(b, 20, 21);
            for (int i = 0; i < 12; i++) {
                assertThat(durable.receiveBody(String.class, WAIT_MS)).hasSize(1_000);
            }
            assertThat(receive(durable, 1)).isEqualTo(texts(20, 21));
        }
    }

    @Test
    void aSubscriptionFromThePastReadsTheOldHomeFirstThroughEachNode() throws Exception {
        await().until(() -> word(LONG).contains("only"));
        for (TestBroker node : nodes.nodes()) {
            String name = "past " + node.port();
            try (JMSContext reads = node.jms().createContext(JMSContext.CLIENT_ACKNOWLEDGE);
                    JMSContext polls = node.jms("jms.prefetchPolicy.all=0").createContext()) {
                JMSConsumer reader = reads.createSharedDurableConsumer(reads.createTopic(LONG + SINCE), name);
                assertThat(receive(reader, OWED_MAX)).isEqualTo(texts(0, OWED_MAX));
                JMSConsumer other = polls.createSharedDurableConsumer(polls.createTopic(LONG + SINCE), name);
                for (int polled = 0; polled < 3; polled++) {
                    assertThat(other.receiveBodyNoWait(String.class)).isNull(); // the replay waits for settlements
                }
                other.close();
                reads.acknowledge();
                assertThat(receive(reader, KEPT + 10 - OWED_MAX)).isEqualTo(texts(OWED_MAX, KEPT + 10));
                reads.acknowledge();
            }
        }
    }
}
