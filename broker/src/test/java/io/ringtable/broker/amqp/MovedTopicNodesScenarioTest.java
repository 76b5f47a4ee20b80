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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A topic is in the middle of its move while one node has its old home, and another one the next (ADR 85, ADR 88). */
@Timeout(180)
class MovedTopicNodesScenarioTest {
    private static final String TOPIC = "kept";
    private static final String PAST = TOPIC + "?since=2000-01-01T00:00:00Z";

    @AutoClose
    private TestCluster nodes;

    private MovingAddresses moving;
    private int to;

    /** Begins the move at a node that has both shards, and then has another node take one of them. */
    @BeforeEach
    void moveAndPart() throws Exception {
        nodes = new TestCluster(TestCluster.settings(2, "3s")
                .with(
                        "ringtable.dispatch.addresses[0].match",
                        TOPIC,
                        "ringtable.dispatch.addresses[0].retention-bytes",
                        "10KB"));
        TestBroker first = nodes.start("a", "");
        first.awaitOwned(0, 1);
        moving = new MovingAddresses(first, Administrator.of(first, ""), 2);
        try (JMSContext context = client(first, "unread")) {
            Topic topic = context.createTopic(TOPIC);
            context.createDurableConsumer(topic, "s").close();
            publish(first, 0, 5);
            to = moving.move(TOPIC);
            publish(first, 5, 10);
        }
        nodes.start("b", "");
        await().until(() -> nodes.nodes().stream()
                .allMatch(node -> node.status().shards().stream()
                                .filter(shard -> shard.isActive())
                                .count()
                        == 1));
        nodes.awaitSeen();
        nodes.awaitKnown(TOPIC, 2);
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

    private String word() throws Exception {
        return nodes.ask("SELECT owner FROM ringtable.home WHERE scope = 'address' AND name = '" + TOPIC + "'");
    }

    @Test
    void consumersAtBothNodesGetWhatBothHomesHaveAndTheOldOneEndsAsTheNextOneFills() throws Exception {
        TestBroker a = nodes.node("a");
        TestBroker b = nodes.node("b");
        try (JMSContext unread = client(b, "unread");
                JMSContext past = client(a, "past");
                JMSContext plain = b.jms().createContext()) {
            assertThat(word()).doesNotContain("only");
            JMSConsumer durable = unread.createDurableConsumer(unread.createTopic(TOPIC), "s");
            assertThat(receive(durable, 10)).isEqualTo(texts(0, 10)); // the old home's first
            await().until(() -> word().contains("only"));
            JMSConsumer replayed = past.createDurableConsumer(past.createTopic(PAST), "s");
            assertThat(receive(replayed, 10)).containsExactlyInAnyOrderElementsOf(texts(0, 10));
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
        await().until(() -> word().isEmpty());
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
}
