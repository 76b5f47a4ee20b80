package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of keys in a queue with parts, with several publishers and consumers at once. */
@Timeout(180)
class PartsOrderScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int KEYS = 12;
    private static final int CONSUMERS = 3;
    private static final String QUEUE = "orders";
    private static final String GROUP = "-group";
    private static final TestSettings SETTINGS = TestSettings.of("ringtable.shards", 4)
            .with("ringtable.dispatch.addresses[0].match", QUEUE, "ringtable.dispatch.addresses[0].parts", 3);

    @TempDir
    private Path directory;

    private final Received received = new Received();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private PostgresqlTestDatabase database; // null on SQLite
    private TestBroker broker;

    @AfterEach
    void stop() throws Exception {
        threads.shutdownNow();
        if (broker != null) {
            broker.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private void serve(StoreSettings store, TestSettings settings) {
        broker = TestBroker.start(store, settings);
    }

    private StoreSettings postgresql() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        return database.settings();
    }

    /** Holds what consumers got, by key, in the order in which they got it. Thread: any. */
    private static final class Received {
        private final Map<String, List<Integer>> byKey = new TreeMap<>();
        private int count;

        synchronized void add(String text) {
            String[] parts = text.split(" ");
            byKey.computeIfAbsent(parts[0], key -> new ArrayList<>()).add(Integer.parseInt(parts[1]));
            count++;
        }

        synchronized int count() {
            return count;
        }

        synchronized void requireOrder(int keys, int ofEach) {
            assertThat(byKey).hasSize(keys);
            byKey.forEach((key, numbers) -> assertThat(numbers)
                    .as("numbers of %s", key)
                    .hasSize(ofEach)
                    .isSorted()
                    .doesNotHaveDuplicates());
        }
    }

    // ---- over a restart

    @ParameterizedTest
    @ValueSource(strings = {"sqlite", "postgresql"})
    void keysKeepTheirOrderOverARestart(String engine) throws Exception {
        StoreSettings store = engine.equals("sqlite") ? StoreSettings.embedded(directory) : postgresql();
        int half = 30; // messages of each key
        serve(store, SETTINGS);
        publish(0, half);
        assertThat(broker.shard().partsOf(broker.shard().lookup().find(QUEUE)).all())
                .hasSize(3)
                .allSatisfy(part -> assertThat(part.quota().messages()).isPositive());
        consume(CONSUMERS, KEYS * half / 2);
        broker.close();

        serve(store, SETTINGS);
        publish(half, 2 * half);
        consume(CONSUMERS, 2 * KEYS * half);

        received.requireOrder(KEYS, 2 * half);
    }

    /** Publishes messages of each key in order, by two links at once that have half of the keys each. */
    private void publish(int from, int to) throws Exception {
        List<Future<?>> links = new ArrayList<>();
        for (int link = 0; link < 2; link++) {
            int its = link;
            links.add(threads.submit(() -> {
                try (Connection connection = broker.jms().createConnection()) {
                    Session session = connection.createSession();
                    MessageProducer producer = session.createProducer(session.createQueue(QUEUE));
                    for (int number = from; number < to; number++) {
                        for (int key = its; key < KEYS; key += 2) {
                            producer.send(keyed(session, "key" + key, number));
                        }
                    }
                }
                return null;
            }));
        }
        for (Future<?> each : links) {
            each.get(WAIT_MS, TimeUnit.MILLISECONDS);
        }
    }

    private static Message keyed(Session session, String key, int number) throws JMSException {
        Message message = session.createTextMessage(key + " " + number);
        message.setStringProperty("JMSXGroupID", key);
        return message;
    }

    /** Consumes by several consumers at once, until so many messages have come in all. */
    private void consume(int count, int all) throws Exception {
        List<Future<?>> consumers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            consumers.add(threads.submit(() -> {
                try (JMSContext context = broker.jms("jms.prefetchPolicy.all=5").createContext();
                        JMSConsumer consumer = context.createConsumer(context.createQueue(QUEUE))) {
                    while (received.count() < all) {
                        String text = consumer.receiveBody(String.class, 50);
                        if (text != null) {
                            received.add(text);
                        }
                    }
                }
            }));
        }
        for (Future<?> each : consumers) {
            each.get(WAIT_MS, TimeUnit.MILLISECONDS);
        }
    }

    // ---- at random

    /**
     * Invariants checked: each message comes once; a group keeps its order, whoever consumes it; a full part keeps
     * nobody waiting for good.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everythingComesOnceWhateverTheRouteAndTheCredit(long seed) throws Exception {
        serve(
                StoreSettings.embedded(directory),
                SETTINGS.with(
                        "ringtable.dispatch.addresses[0].messages-max", 20, "ringtable.amqp.parked-timeout", "60s"));
        int publishers = 4;
        int ofEach = 150;
        AtomicInteger published = new AtomicInteger();
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < publishers; i++) {
            int number = i;
            running.add(threads.submit(() -> {
                publishAtRandom(number, ofEach, new Random(seed * 100 + number));
                published.incrementAndGet();
                return null;
            }));
        }
        for (int i = 0; i < CONSUMERS; i++) {
            Random random = new Random(seed * 200 + i);
            running.add(threads.submit(() -> {
                while (published.get() < publishers || received.count() < publishers * ofEach) {
                    consumeAtRandom(random, publishers * ofEach);
                }
            }));
        }
        for (Future<?> each : running) {
            each.get(2 * WAIT_MS, TimeUnit.MILLISECONDS);
        }

        assertThat(received.count()).isEqualTo(publishers * ofEach);
        received.byKey.forEach((key, numbers) -> {
            assertThat(numbers).as("seed %d, %s", seed, key).doesNotHaveDuplicates();
            if (key.contains(GROUP)) { // others may go to several consumers at once
                assertThat(numbers).as("seed %d, %s", seed, key).isSorted();
            }
        });
    }

    /** Publishes by a link to the queue or by the anonymous relay, with a group, a duplicate id, or neither. */
    private void publishAtRandom(int publisher, int count, Random random) throws JMSException {
        try (Connection connection = broker.jms().createConnection()) {
            Session session = connection.createSession();
            boolean isAnonymous = publisher % 2 == 1;
            MessageProducer producer = session.createProducer(isAnonymous ? null : session.createQueue(QUEUE));
            for (int number = 0; number < count; number++) {
                String name = "publisher" + publisher;
                int kind = random.nextInt(3);
                String key = kind == 0 ? name + GROUP + random.nextInt(5) : name;
                if (kind == 1) {
                    key = name + "-id" + number;
                }
                Message message = session.createTextMessage(key + " " + number);
                if (kind == 0) {
                    message.setStringProperty("JMSXGroupID", key);
                } else if (kind == 1) {
                    message.setStringProperty("_AMQ_DUPL_ID", key);
                }
                if (isAnonymous) {
                    producer.send(session.createQueue(QUEUE), message);
                } else {
                    producer.send(message);
                }
            }
        }
    }

    /** Consumes some messages with some credit. */
    private void consumeAtRandom(Random random, int all) {
        int prefetch = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(20);
        int most = 1 + random.nextInt(60);
        try (JMSContext context =
                        broker.jms("jms.prefetchPolicy.all=" + prefetch).createContext();
                JMSConsumer consumer = context.createConsumer(context.createQueue(QUEUE))) {
            for (int i = 0; i < most && received.count() < all; i++) {
                String text = consumer.receiveBody(String.class, 20);
                if (text != null) {
                    received.add(text);
                }
            }
        }
    }

    // ---- parts that are missing

    @Test
    void anEmptyQueueGetsThePartsThatItLacksAtTheNextStartAndAnotherOneKeepsWhatItHas() throws Exception {
        TestSettings before = TestSettings.of("ringtable.shards", 4);
        serve(StoreSettings.embedded(directory), before);
        try (JMSContext context = broker.jms().createContext()) {
            context.createConsumer(context.createQueue("orders")).close();
            context.createProducer().send(context.createQueue("orders.full"), "stays");
        }
        broker.close();

        serve(
                StoreSettings.embedded(directory),
                before.with(
                        "ringtable.dispatch.addresses[0].match",
                        "orders.#",
                        "ringtable.dispatch.addresses[0].parts",
                        3));
        assertThat(broker.shard()
                        .partsOf(broker.shard().lookup().find("orders"))
                        .all())
                .hasSize(3);
        assertThat(broker.shard().partsOf(broker.shard().lookup().find("orders.full")))
                .isNull();
        try (JMSContext context = broker.jms().createContext()) {
            assertThat(context.createConsumer(context.createQueue("orders.full"))
                            .receiveBody(String.class, WAIT_MS))
                    .isEqualTo("stays");
        }
    }

    // ---- in the application's own transaction

    /** A message of a group goes to the part of the group; those without one share a part. */
    @Test
    void whatApplicationsPublishBySqlGoesToThePartOfItsGroup() throws Exception {
        serve(postgresql(), SETTINGS);
        int ofEach = 20;
        try (java.sql.Connection caller = database.connect();
                PreparedStatement publish = caller.prepareStatement("SELECT ringtable.publish(?, ?, ?::jsonb)")) {
            for (int number = 0; number < ofEach; number++) {
                for (int key = 0; key <= KEYS; key++) {
                    publish.setString(1, "queue://" + QUEUE);
                    publish.setString(2, "key" + key + " " + number);
                    publish.setString(3, key == KEYS ? "{}" : "{\"group-id\": \"key" + key + "\"}");
                    publish.execute();
                }
            }
        }
        int all = (KEYS + 1) * ofEach;
        Awaitility.await().until(() -> owed() == all);
        int[] wanted = new int[4];
        for (int key = 0; key < KEYS; key++) {
            wanted[shardOf("key" + key)] += ofEach;
        }
        wanted[shardOf(QUEUE)] += ofEach;
        broker.shard()
                .partsOf(broker.shard().lookup().find(QUEUE))
                .all()
                .forEach(part -> assertThat(part.quota().messages())
                        .as("messages of shard %d", ShardIds.shardOf(part.id()))
                        .isEqualTo(wanted[ShardIds.shardOf(part.id())]));
        consume(1, all); // the messages without a group would go to several consumers at once
        received.requireOrder(KEYS + 1, ofEach);
    }

    private long owed() {
        return broker.shard().lookup().find(QUEUE) == null
                ? 0
                : broker.shard().partsOf(broker.shard().lookup().find(QUEUE)).all().stream()
                        .mapToLong(part -> part.quota().messages())
                        .sum();
    }

    private int shardOf(String key) {
        return ShardIds.shardOf(broker.shard()
                .partsOf(broker.shard().lookup().find(QUEUE))
                .of(PartKey.of(key))
                .id());
    }
}
