package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.amqp.consume.Tags;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Publishes and settles by SQL, on PostgreSQL, where addresses live in different shards of one node. */
@Timeout(120)
class HomesInboxScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int SHARDS = 3;
    private static final int ADDRESSES = 9;
    private static final int CALLERS = 4;
    private static final TestSettings SETTINGS = TestSettings.of("ringtable.shards", SHARDS);

    private TestDatabase database;
    private TestBroker broker;

    @BeforeEach
    void start() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        broker = TestBroker.start(database.settings(), SETTINGS);
    }

    @AfterEach
    void stop() throws Exception {
        if (database != null) {
            broker.close();
            database.close();
        }
    }

    /**
     * Publishes to addresses that nobody has named before. Does so while the broker collects and loses its connections,
     * while there is no broker, and while the next one begins.
     */
    @Test
    void eachCommittedMessageComesOnceAndInTheOrderOfItsCaller() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        List<Caller> callers = IntStream.range(0, CALLERS).mapToObj(Caller::new).toList();
        try {
            List<Future<Void>> running = begin(threads, callers);
            List<Future<Void>> first = running;
            Awaitility.await().until(() -> {
                database.cutConnections(); // after the first 0.1 s, and again until all have ended
                return first.stream().allMatch(Future::isDone);
            });
            end(running);
            broker.close();
            end(begin(threads, callers));
            running = begin(threads, callers);
            broker = TestBroker.start(database.settings(), SETTINGS);
            end(running);
            for (int i = 0; i < ADDRESSES; i++) {
                assertThatEachCameOnceAndInOrder("work." + i, callers);
            }
            assertThat(IntStream.range(0, ADDRESSES)
                            .map(i -> homeOf("work." + i))
                            .distinct())
                    .hasSize(SHARDS);
            assertThat(number("SELECT count(*) FROM ringtable.inbox")).isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void messagesForQueuesThatMoveComeOnceAndInTheOrderOfTheirCaller() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        List<Caller> callers = IntStream.range(0, CALLERS).mapToObj(Caller::new).toList();
        try {
            List<Future<Void>> running = begin(threads, callers);
            for (int i = 0; i < ADDRESSES; i++) {
                String queue = "work." + i;
                Awaitility.await().until(() -> broker.shard().lookup().find(queue) != null);
                broker.shard()
                        .catalog()
                        .move(broker.shard().lookup().find(queue), (homeOf(queue) + 1) % SHARDS, false)
                        .toCompletableFuture()
                        .join();
            }
            end(running);
            for (int i = 0; i < ADDRESSES; i++) {
                String queue = "work." + i;
                assertThatEachCameOnceAndInOrder(queue, callers);
                Awaitility.await().until(() -> broker.shard().moveOf(queue) == null);
            }
            assertThat(number("SELECT count(*) FROM ringtable.inbox")).isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<Future<Void>> begin(ExecutorService threads, List<Caller> callers) {
        List<Future<Void>> begun = new ArrayList<>();
        for (Caller caller : callers) {
            begun.add(threads.submit(caller));
        }
        return begun;
    }

    private static void end(List<Future<Void>> running) throws Exception {
        for (Future<Void> each : running) {
            each.get(WAIT_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void assertThatEachCameOnceAndInOrder(String address, List<Caller> callers) throws JMSException {
        Map<Integer, List<String>> got = received(address, callers);
        for (Caller caller : callers) {
            assertThat(got.getOrDefault(caller.number, List.of())).isEqualTo(caller.to(address));
        }
    }

    /** Receives as many messages as were committed, by their callers. None may be left. */
    private Map<Integer, List<String>> received(String address, List<Caller> callers) throws JMSException {
        Map<Integer, List<String>> got = new TreeMap<>();
        int committed =
                callers.stream().mapToInt(caller -> caller.to(address).size()).sum();
        try (Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(session.createQueue(address));
            for (int i = 0; i < committed; i++) {
                String text = text(consumer);
                got.computeIfAbsent(Integer.parseInt(text.split(" ")[1]), any -> new ArrayList<>())
                        .add(text);
            }
            assertThat(consumer.receiveNoWait()).isNull();
        }
        return got;
    }

    /** An application: its transactions have three messages each, and every fifth rolls back. */
    private final class Caller implements Callable<Void> {
        private final int number;
        private final Map<String, List<String>> committed = new TreeMap<>(); // by address
        private int transactions;

        Caller(int number) {
            this.number = number;
        }

        List<String> to(String address) {
            return committed.getOrDefault(address, List.of());
        }

        @Override
        public Void call() throws SQLException {
            try (java.sql.Connection connection = database.connect()) {
                connection.setAutoCommit(false);
                for (int i = 0; i < 30; i++) {
                    Map<String, List<String>> open = new TreeMap<>();
                    for (int m = 0; m < 3; m++) {
                        String address = "work." + (number + transactions + m % 2) % ADDRESSES;
                        String text = "caller " + number + " transaction " + transactions + " message " + m;
                        publish(connection, address, text);
                        open.computeIfAbsent(address, any -> new ArrayList<>()).add(text);
                    }
                    if (transactions++ % 5 == 4) {
                        connection.rollback();
                    } else {
                        connection.commit();
                        open.forEach((address, texts) -> committed
                                .computeIfAbsent(address, any -> new ArrayList<>())
                                .addAll(texts));
                    }
                }
            }
            return null;
        }
    }

    @Test
    void aDeliveryIsSettledInTheHomeOfItsAddress() throws Exception {
        try (java.sql.Connection caller = database.connect()) {
            for (int i = 0; i < ADDRESSES; i++) {
                publish(caller, "work." + i, "to settle");
            }
            Awaitility.await().until(() -> number("SELECT count(*) FROM ringtable.owed") == ADDRESSES);
            assertThat(number("SELECT count(DISTINCT shard_id) FROM ringtable.owed"))
                    .isEqualTo(SHARDS);

            for (int i = 0; i < ADDRESSES; i++) {
                String tag = tagOfTheOnlyMessage("work." + i);
                settle(caller, tag);
                assertThatThrownBy(() -> settle(caller, tag)).hasMessageContaining("RT-3060");
            }

            Awaitility.await().until(() -> number("SELECT count(*) FROM ringtable.owed") == 0);
            Awaitility.await().until(() -> number("SELECT count(*) FROM ringtable.inbox") == 0);
        }
    }

    private String tagOfTheOnlyMessage(String name) throws SQLException {
        Address address = broker.shard().lookup().find(name);
        Subscription reader = broker.shard().lookup().readerOf(address);
        int home = ShardIds.shardOf(address.id());
        try (java.sql.Connection connection = database.connect();
                PreparedStatement ask = connection.prepareStatement("SELECT h.epoch, k.secret, m.sequence"
                        + " FROM ringtable.shard AS h"
                        + " JOIN ringtable.delivery_key AS k ON k.shard_id = h.shard_id"
                        + " JOIN ringtable.messages AS m ON m.shard_id = h.shard_id AND m.address = ?"
                        + " WHERE h.shard_id = ?")) {
            ask.setString(1, name);
            ask.setInt(2, home);
            try (ResultSet row = ask.executeQuery()) {
                assertThat(row.next()).isTrue();
                Tags tags = Tags.with(new DeliveryKey(row.getBytes("secret")));
                return tags.tag(row.getLong("epoch"), reader.id(), row.getLong("sequence"));
            }
        }
    }

    @Test
    void repliesReachTemporaryQueuesAndWhatHasNoPlaceDiesOnce() throws Exception {
        try (Connection connection = broker.jms().createConnection();
                java.sql.Connection caller = database.connect()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            for (int i = 0; i < SHARDS; i++) {
                TemporaryQueue reply = session.createTemporaryQueue();
                MessageConsumer consumer = session.createConsumer(reply);
                publish(caller, reply.getQueueName(), "reply " + i);
                assertThat(text(consumer)).isEqualTo("reply " + i);
            }
            for (int i = 0; i < SHARDS; i++) {
                session.createProducer(session.createTopic("news." + i)).close();
                publish(caller, "queue://news." + i, "for a topic " + i);
            }
            MessageConsumer letters = session.createConsumer(session.createQueue("DLQ"));
            List<String> dead = new ArrayList<>();
            for (int i = 0; i < SHARDS; i++) {
                dead.add(text(letters));
            }
            assertThat(dead).containsExactlyInAnyOrder("for a topic 0", "for a topic 1", "for a topic 2");
        }
    }

    private int homeOf(String address) {
        return ShardIds.shardOf(broker.shard().lookup().find(address).id());
    }

    private static String text(MessageConsumer consumer) throws JMSException {
        TextMessage message = (TextMessage) consumer.receive(WAIT_MS);
        assertThat(message).isNotNull();
        return message.getText();
    }

    private static void publish(java.sql.Connection connection, String address, String text) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement("SELECT ringtable.publish(?, ?)")) {
            call.setString(1, address);
            call.setString(2, text);
            call.execute();
        }
    }

    private static void settle(java.sql.Connection connection, String tag) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement("SELECT ringtable.settle(?)")) {
            call.setString(1, tag);
            call.execute();
        }
    }

    private long number(String sql) throws SQLException {
        try (java.sql.Connection connection = database.connect();
                PreparedStatement ask = connection.prepareStatement(sql);
                ResultSet row = ask.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }
}
