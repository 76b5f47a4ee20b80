package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Publishers reach the parts of a queue while shards go from node to node (ADR 81). */
@Timeout(300)
class RemotePartsMoveScenarioTest {
    private static final int MOVED = 2; // the shard, which two nodes may have
    private static final long WAIT_MS = 60_000;
    private static final int KEYS = 6;
    private static final int AFTER_EACH_MOVE = 20; // messages of each key, at least
    private static final int SENT = 5; // messages around the loss
    private static final String QUEUE = "parted";

    @TempDir
    private Path directory;

    private final Map<String, TestBroker> nodes = new TreeMap<>();
    private final List<Exception> lost = new CopyOnWriteArrayList<>(); // what clients heard of their connections
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private PostgresqlTestDatabase database;
    private DatabaseDoor ofOwner; // the way of node b to the database

    @BeforeEach
    void startNodes() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        ofOwner = new DatabaseDoor(database.settings());
        start("b", ofOwner.url(), 1, MOVED);
        start("a", database.settings().properties().url(), 0);
        for (TestBroker node : nodes.values()) {
            await().until(() -> node.status().nodes().nodes().stream()
                            .filter(each -> each.state().equals(Phase.ACTIVE.name()))
                            .count()
                    == nodes.size());
        }
        try (JMSContext context = nodes.get("b").jms().createContext()) {
            context.createProducer().send(context.createQueue(QUEUE), "first");
            awaitKnown();
            context.createConsumer(context.createQueue(QUEUE)).receive(WAIT_MS);
        }
    }

    @AfterEach
    void stop() throws Exception {
        threads.shutdownNow();
        if (ofOwner != null) {
            ofOwner.open(); // a node waits for its database before it stops
        }
        for (TestBroker node : nodes.values()) {
            node.close();
        }
        if (ofOwner != null) {
            ofOwner.close();
        }
        if (database != null) {
            database.close();
        }
    }

    /** Starts a node that may have the shards, and has those that no other one has. */
    private void start(String name, String url, int... shards) {
        TestBroker node = TestBroker.start(
                TestSettings.of(
                                "ringtable.store.url",
                                url,
                                "ringtable.store.username",
                                database.settings().properties().username(),
                                "ringtable.store.password",
                                database.settings().properties().password())
                        .store(directory.resolve(name)),
                TestSettings.of(
                        "ringtable.shards",
                        3,
                        "ringtable.lease",
                        "6s", // longer than other load keeps a node from renewing
                        "ringtable.cluster.enabled",
                        true,
                        "ringtable.cluster.shards",
                        String.join(
                                        ",",
                                        IntStream.of(shards)
                                                .mapToObj(String::valueOf)
                                                .toList())
                                + (name.equals("a") ? "," + MOVED : ""),
                        "ringtable.dispatch.addresses[0].match",
                        QUEUE,
                        "ringtable.dispatch.addresses[0].parts",
                        3));
        nodes.put(name, node);
        for (int shard : shards) {
            await().until(() -> isActive(node, shard));
        }
    }

    private static boolean isActive(TestBroker node, int shard) {
        return node.status().shards().stream().filter(ShardStatus::isActive).anyMatch(each -> each.number() == shard);
    }

    private void awaitKnown() {
        for (TestBroker node : nodes.values()) {
            await().until(() -> {
                Address any = node.shard().lookup().find(QUEUE);
                return any != null && node.shard().homesOf(any).size() == 3;
            });
        }
    }

    private int shardOf(String key) {
        TestBroker node = nodes.get("a");
        return ShardIds.shardOf(node.shard()
                .partsOf(node.shard().lookup().find(QUEUE))
                .of(PartKey.of(key))
                .id());
    }

    private String keyOf(int shard) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "key" + i)
                .filter(key -> shardOf(key) == shard)
                .findFirst()
                .orElseThrow();
    }

    private static Message keyed(Session session, String key, String text) throws JMSException {
        Message message = session.createTextMessage(text);
        message.setStringProperty("JMSXGroupID", key);
        return message;
    }

    private Connection connect(String node) throws JMSException {
        Connection connection = nodes.get(node).jms().createConnection();
        connection.setExceptionListener(lost::add);
        connection.start();
        return connection;
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
            ShardMove.move(
                    database, MOVED, nodes.get(move % 2 == 0 ? "b" : "a"), nodes.get(move % 2 == 0 ? "a" : "b"), "");
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
        try (JMSContext context = nodes.get("a").jms().createContext();
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

    /** The front itself is the next owner. One client has sent to the part before, and another one has not. */
    @Test
    void publishersStayWhenTheOwnerOfAPartIsLost() throws Exception {
        String ofLost = keyOf(MOVED);
        String ofFront = keyOf(0);
        try (Connection used = connect("a");
                Connection fresh = connect("a")) {
            Session session = used.createSession();
            MessageProducer producer = session.createProducer(session.createQueue(QUEUE));
            producer.send(keyed(session, ofLost, "before"));
            Session other = fresh.createSession();
            MessageProducer first = other.createProducer(other.createQueue(QUEUE));

            ofOwner.fallSilent();
            await().until(() -> isActive(nodes.get("a"), MOVED));
            first.send(keyed(other, ofLost, "first"));
            producer.send(keyed(session, ofLost, "after 0"));
            producer.send(keyed(session, ofLost, "after 1"));
            first.send(keyed(other, ofFront, "passes"));

            List<String> texts = new ArrayList<>();
            try (JMSContext context = nodes.get("a").jms().createContext();
                    JMSConsumer consumer = context.createConsumer(context.createQueue(QUEUE))) {
                for (int i = 0; i < SENT; i++) {
                    texts.add(consumer.receiveBody(String.class, WAIT_MS));
                }
            }
            assertThat(texts).contains("before", "first", "passes", "after 0", "after 1");
            assertThat(texts.indexOf("after 0")).isLessThan(texts.indexOf("after 1"));
        }
        assertThat(lost).isEmpty();
    }
}
