package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Publishers reach the parts of a queue while shards go from node to node (ADR 81). */
@Timeout(300)
class RemotePartsMoveScenarioTest {
    private static final int MOVED = 2; // the shard, which two nodes may have
    private static final long WAIT_MS = 60_000;
    private static final int KEYS = 6;
    private static final int AFTER_EACH_MOVE = 20; // messages of each key, at least
    private static final int SENT = 5; // messages around the loss
    private static final int AHEAD = 10; // messages to each address, all but the first without an outcome
    private static final String QUEUE = "parted";

    @AutoClose
    private TestCluster nodes;

    private final List<Exception> lost = new CopyOnWriteArrayList<>(); // what clients heard of their connections
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private DatabaseDoor ofOwner; // the way of node b to the database

    @BeforeEach
    void startNodes() throws Exception {
        nodes = new TestCluster(TestCluster.settings(3, "3s")
                .with("ringtable.dispatch.addresses[0].match", QUEUE, "ringtable.dispatch.addresses[0].parts", 3));
        ofOwner = nodes.door("b");
        nodes.start("b", "1," + MOVED).awaitOwned(1, MOVED);
        nodes.start("a", "0," + MOVED).awaitOwned(0);
        nodes.awaitSeen();
        try (JMSContext context = nodes.node("b").jms().createContext()) {
            context.createProducer().send(context.createQueue(QUEUE), "first");
            nodes.awaitKnown(QUEUE, 3);
            context.createConsumer(context.createQueue(QUEUE)).receive(WAIT_MS);
        }
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private static Message keyed(Session session, String key, String text) throws JMSException {
        Message message = session.createTextMessage(text);
        message.setStringProperty("JMSXGroupID", key);
        return message;
    }

    private Connection connect(String node) throws JMSException {
        Connection connection = nodes.node(node).jms().createConnection();
        connection.setExceptionListener(lost::add);
        connection.start();
        return connection;
    }

    private static boolean isInMoved(TestBroker node, String queue) {
        Address known = node.shard().lookup().find(queue);
        return node.shard().moveOf(queue) == null && node.shard().homeOf(known).number() == MOVED;
    }

    private static String text(Message message) throws JMSException {
        return message instanceof BytesMessage
                ? new String(message.getBody(byte[].class), StandardCharsets.UTF_8)
                : message.getBody(String.class);
    }

    /** Publishes messages of each key by turns, as long as it has not published so many of each. */
    private final class Publisher {
        private final AtomicInteger rounds = new AtomicInteger();
        private final AtomicInteger wanted = new AtomicInteger(AFTER_EACH_MOVE);
        private final Future<?> done;
        private volatile boolean ends;

        Publisher(String name, String node, boolean isAnonymous) throws JMSException {
            Connection connection = connect(node);
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(isAnonymous ? null : session.createQueue(QUEUE));
            done = threads.submit(() -> {
                while (!ends || rounds.get() < wanted.get()) {
                    for (int key = 0; key < KEYS; key++) {
                        Message message = keyed(session, "key" + key, name + ".key" + key + " " + rounds.get());
                        if (isAnonymous) {
                            producer.send(session.createQueue(QUEUE), message);
                        } else {
                            producer.send(message);
                        }
                    }
                    rounds.incrementAndGet();
                }
                connection.close();
                return null;
            });
        }

        void awaitMore() {
            wanted.set(rounds.get() + AFTER_EACH_MOVE);
            await().until(() -> rounds.get() >= wanted.get() || done.isDone());
        }
    }

    /** Links with and without a target, at the giver, at the taker. */
    @Test
    void publishersStayWhileAShardGoesToAndFro() throws Exception {
        List<Publisher> publishers = List.of(
                new Publisher("a", "a", false),
                new Publisher("any.a", "a", true),
                new Publisher("b", "b", false),
                new Publisher("any.b", "b", true));
        for (int move = 0; move < 3; move++) {
            publishers.forEach(Publisher::awaitMore);
            TestBroker from = nodes.node(move % 2 == 0 ? "b" : "a");
            TestBroker to = nodes.node(move % 2 == 0 ? "a" : "b");
            ShardMove.move(nodes.database, MOVED, from, to, "");
        }
        publishers.forEach(Publisher::awaitMore);
        int all = 0;
        for (Publisher each : publishers) {
            each.ends = true;
            each.done.get();
            all += KEYS * each.rounds.get();
        }
        assertThat(lost).isEmpty();

        Map<String, List<Integer>> byKey = new TreeMap<>();
        try (JMSContext context = nodes.node("a").jms().createContext();
                JMSConsumer consumer = context.createConsumer(context.createQueue(QUEUE))) {
            for (int i = 0; i < all; i++) {
                String[] text = consumer.receiveBody(String.class, WAIT_MS).split(" ");
                byKey.computeIfAbsent(text[0], any -> new ArrayList<>()).add(Integer.valueOf(text[1]));
            }
            assertThat(consumer.receiveNoWait()).isNull();
        }
        assertThat(byKey).hasSize(publishers.size() * KEYS);
        assertThat(byKey.values())
                .allSatisfy(numbers -> assertThat(numbers)
                        .isEqualTo(IntStream.range(0, numbers.size()).boxed().toList()));
    }

    /**
     * The front itself is the next owner. One client has sent to the part before, and another one has not. A third one
     * sends as the owner is lost, on a link without a target, also to a queue without parts. That one has moved to the
     * shard under the link before. The client hears what is stored.
     */
    @Test
    void publishersStayWhenTheOwnerOfAPartIsLost() throws Exception {
        String ofLost = nodes.node("a").keyOf(QUEUE, MOVED);
        String ofFront = nodes.node("a").keyOf(QUEUE, 0);
        String whole = QueuesOf.shard(nodes.node("b"), 1, 1).get(0);
        nodes.awaitKnown(whole, 1);
        try (Connection used = connect("a");
                Connection fresh = connect("a");
                FrontPeer ahead = FrontPeer.client(nodes.node("a"), "ann", "ahead")) {
            Session session = used.createSession();
            MessageProducer producer = session.createProducer(session.createQueue(QUEUE));
            producer.send(keyed(session, ofLost, "before"));
            Session other = fresh.createSession();
            MessageProducer first = other.createProducer(other.createQueue(QUEUE));

            Sender toAny = ahead.sender(ahead.session(), null, "any", null);
            Properties toPart = new Properties().setTo("queue://" + QUEUE).setGroupId(ofLost);
            Properties toWhole = new Properties().setTo("queue://" + whole);
            ahead.publish(toAny, toPart, "part 0");
            ahead.publish(toAny, toWhole, "empties");
            try (JMSContext context = nodes.node("b").jms().createContext()) {
                Message taken =
                        context.createConsumer(context.createQueue(whole)).receive(WAIT_MS);
                assertThat(text(taken)).isEqualTo("empties");
            }
            Administrator.of(nodes.node("b"), "")
                    .ask(202, "POST", "/addresses/" + whole + "/move?shard=" + MOVED, null);
            List<OutgoingDelivery> owed = new ArrayList<>();
            owed.add(ahead.send(toAny, toWhole, "whole 0"));
            await().until(() -> nodes.nodes().stream().allMatch(node -> isInMoved(node, whole)));
            assertThat(ahead.outcome(owed.get(0))).isEqualTo(Accepted.getInstance());

            ofOwner.fallSilent();
            for (int i = 1; i < AHEAD; i++) {
                owed.add(ahead.send(toAny, toPart, "part " + i));
                owed.add(ahead.send(toAny, toWhole, "whole " + i));
            }
            nodes.node("a").awaitOwned(0, MOVED);
            await().until(() -> nodes.node("b").owned().isEmpty()); // else a reader ends with its other shard
            await().until(() -> nodes.node("a").elsewhere().isEmpty()); // nor does one ask node b for its part
            first.send(keyed(other, ofLost, "first"));
            producer.send(keyed(session, ofLost, "after 0"));
            producer.send(keyed(session, ofLost, "after 1"));
            first.send(keyed(other, ofFront, "passes"));

            owed.forEach(each -> assertThat(ahead.outcome(each)).isEqualTo(Accepted.getInstance()));
            List<String> texts = new ArrayList<>();
            try (JMSContext context = nodes.node("a").jms().createContext();
                    JMSConsumer consumer = context.createConsumer(context.createQueue(QUEUE))) {
                for (int i = 0; i < SENT + AHEAD; i++) {
                    texts.add(text(consumer.receive(WAIT_MS)));
                }
                assertThat(consumer.receiveNoWait()).isNull();
                JMSConsumer ofWhole = context.createConsumer(context.createQueue(whole));
                for (int i = 0; i < AHEAD; i++) {
                    assertThat(text(ofWhole.receive(WAIT_MS))).isEqualTo("whole " + i);
                }
                assertThat(ofWhole.receiveNoWait()).isNull();
            }
            assertThat(texts)
                    .containsSubsequence(
                            IntStream.range(0, AHEAD).mapToObj(i -> "part " + i).toList());
            assertThat(texts).contains("before", "first", "passes", "after 0", "after 1");
            assertThat(texts.indexOf("after 0")).isLessThan(texts.indexOf("after 1"));
        }
        assertThat(lost).isEmpty();
    }
}
