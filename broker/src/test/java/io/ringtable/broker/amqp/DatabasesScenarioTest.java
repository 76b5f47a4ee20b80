package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.amqp.consume.Tags;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One broker whose four shards lie in two databases of PostgreSQL, two in each (ADR 63). */
@Timeout(180)
class DatabasesScenarioTest {
    private static final int SHARDS = 4;
    private static final int QUEUES = 8;
    private static final int MESSAGES = 5; // of each application to each queue
    private static final long WAIT_MS = 60_000;

    private PostgresqlTestDatabase main;
    private PostgresqlTestDatabase other;
    private TestBroker broker;

    @BeforeEach
    void start() throws Exception {
        try {
            main = PostgresqlTestDatabase.migrated();
            other = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        broker = TestBroker.start(main.settings(), settings(other, "2,3"));
    }

    @AfterEach
    void stop() throws Exception {
        if (broker != null) {
            broker.close();
        }
        if (main != null) {
            main.close();
            other.close();
        }
    }

    private static TestSettings settings(PostgresqlTestDatabase named, String shards) {
        StoreSettings store = named.settings();
        return TestSettings.of(
                "ringtable.shards",
                SHARDS,
                "ringtable.stores[0].name",
                "b",
                "ringtable.stores[0].url",
                store.properties().url(),
                "ringtable.stores[0].username",
                store.properties().username(),
                "ringtable.stores[0].password",
                store.properties().password(),
                "ringtable.stores[0].shards",
                shards);
    }

    @Test
    void whatIsPublishedInEitherDatabaseReachesEveryShardOnceAndInOrder() throws Exception {
        List<String> texts = new ArrayList<>();
        try (Connection inMain = main.connect();
                Connection inOther = other.connect()) {
            inOther.setAutoCommit(false);
            for (int i = 0; i < MESSAGES; i++) {
                for (int queue = 0; queue < QUEUES; queue++) {
                    publish(inMain, "work." + queue, "main " + i);
                    publish(inOther, "work." + queue, "other " + i);
                }
            }
            inOther.commit();
            publish(inOther, "work.0", "never");
            inOther.rollback();
        }
        IntStream.range(0, MESSAGES).forEach(i -> texts.addAll(List.of("main " + i, "other " + i)));
        try (JMSContext context = broker.jms().createContext()) {
            for (int queue = 0; queue < QUEUES; queue++) {
                JMSConsumer consumer = context.createConsumer(context.createQueue("work." + queue));
                List<String> got = receive(consumer, texts.size());
                assertThat(got).containsExactlyInAnyOrderElementsOf(texts);
                assertThat(got.stream().filter(text -> text.startsWith("main"))).isSorted();
                assertThat(got.stream().filter(text -> text.startsWith("other")))
                        .isSorted();
                assertThat(consumer.receiveNoWait()).isNull();
            }
        }
        assertThat(homes()).as("shards with a queue").isEqualTo(Set.of(0, 1, 2, 3));
        Awaitility.await().untilAsserted(() -> {
            assertThat(main.ask("SELECT count(*) FROM ringtable.inbox")).isEqualTo("0");
            assertThat(other.ask("SELECT count(*) FROM ringtable.inbox")).isEqualTo("0");
        });
    }

    private Set<Integer> homes() {
        return IntStream.range(0, QUEUES)
                .mapToObj(queue -> home("work." + queue))
                .collect(Collectors.toSet());
    }

    private int home(String name) {
        Address address = broker.shard().lookup().find(name);
        return ShardIds.shardOf(address.id());
    }

    private static List<String> receive(JMSConsumer consumer, int count) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(consumer.receiveBody(String.class, WAIT_MS));
        }
        return texts;
    }

    private static void publish(Connection connection, String address, String text) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement("SELECT ringtable.publish(?, ?)")) {
            call.setString(1, address);
            call.setString(2, text);
            call.execute();
        }
    }

    @Test
    void eachShardHasItsMessagesInItsDatabaseAlsoAfterARestart() throws Exception {
        try (JMSContext context = broker.jms().createContext()) {
            for (int queue = 0; queue < QUEUES; queue++) {
                context.createProducer().send(context.createQueue("work." + queue), "of " + queue);
            }
        }
        assertThat(homes()).isEqualTo(Set.of(0, 1, 2, 3));
        assertThat(main.ask("SELECT string_agg(shard_id::text, ',' ORDER BY shard_id) FROM ringtable.shard"))
                .isEqualTo("0,1");
        assertThat(other.ask("SELECT string_agg(shard_id::text, ',' ORDER BY shard_id) FROM ringtable.shard"))
                .isEqualTo("2,3");
        assertThat(listedStores()).containsExactly("0 main", "1 main", "2 b", "3 b");

        broker.close();
        broker = TestBroker.start(main.settings(), settings(other, "2,3").with("ringtable.stores[0].name", "renamed"));

        try (JMSContext context = broker.jms().createContext()) {
            for (int queue = 0; queue < QUEUES; queue++) {
                assertThat(receive(context.createConsumer(context.createQueue("work." + queue)), 1))
                        .containsExactly("of " + queue);
            }
        }
        assertThat(main.ask("SELECT store FROM ringtable.placement WHERE shard_id = 3"))
                .isEqualTo("renamed");
        assertThat(other.ask("SELECT token FROM ringtable.placement WHERE shard_id = 3"))
                .isEqualTo(main.ask("SELECT token FROM ringtable.placement WHERE shard_id = 3"));
    }

    private List<String> listedStores() {
        return StreamSupport.stream(
                        Administrator.of(broker, "")
                                .get("/shards")
                                .path("items")
                                .spliterator(),
                        false)
                .map(shard ->
                        shard.path("number").asInt() + " " + shard.path("store").asString())
                .toList();
    }

    /** No ring is laid anywhere by a start that is refused. */
    @Test
    void aStartThatHasAShardElsewhereIsRefusedWithTheCure() throws Exception {
        broker.close();
        assertRefused(settings(other, "1,2"), "RT-1209 shard 1 lies in store 'main'");
        assertRefused(settings(other, "2"), "RT-1209 shard 3 lies in store 'b'");
        assertRefused(TestSettings.of("ringtable.shards", SHARDS), "RT-1209 shard 2 lies in store 'b', at jdbc:");
        assertRefused(TestSettings.of(), "RT-1196 ringtable.shards=1, and the store has 4 shards");
        PostgresqlTestDatabase empty = PostgresqlTestDatabase.migrated();
        assertRefused(settings(empty, "2,3"), "RT-1210 the database of store 'b' is not the one in which shard 2 lies");
        assertThatThrownBy(() -> TestBroker.start(empty.settings(), settings(other, "2,3")))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1210")
                .hasMessageContaining("has it for the broker whose ringtable.store is "
                        + main.settings().properties().shownUrl());
        assertThatThrownBy(() -> TestBroker.start(other.settings(), settings(main, "2,3"))) // swapped
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1209 shard ");
        assertThat(empty.ask("SELECT count(*) FROM ringtable.shard")).isEqualTo("0");
        empty.close();

        broker = TestBroker.start(main.settings(), settings(other, "2,3"));
    }

    private void assertRefused(TestSettings settings, String text) {
        assertThatThrownBy(() -> TestBroker.start(main.settings(), settings))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith(text);
    }

    @Test
    void settlingOnAConnectionToTheOtherDatabaseIsRefusedWithItsName() throws Exception {
        try (JMSContext context = broker.jms().createContext()) {
            for (int queue = 0; queue < QUEUES; queue++) {
                context.createProducer().send(context.createQueue("work." + queue), "of " + queue);
            }
        }
        String queue = IntStream.range(0, QUEUES)
                .mapToObj(i -> "work." + i)
                .filter(name -> home(name) == 2)
                .findFirst()
                .orElseThrow();
        String tag = Tags.with(broker.shard()
                        .homeOf(broker.shard().lookup().find(queue))
                        .deliveryKey()
                        .orElseThrow())
                .tag(
                        Long.parseLong(other.ask("SELECT epoch FROM ringtable.shard WHERE shard_id = 2")),
                        Long.parseLong(other.ask(
                                "SELECT subscription_id FROM ringtable.subscriptions WHERE address = '" + queue + "'")),
                        0);
        try (Connection inMain = main.connect();
                PreparedStatement settle = inMain.prepareStatement("SELECT ringtable.settle(?)")) {
            settle.setString(1, tag);
            assertThatThrownBy(settle::execute)
                    .hasMessageContaining("RT-4545")
                    .hasMessageContaining("shard 2, which lies in another database, "
                            + other.settings().properties().shownUrl());
        }
        try (Connection inOther = other.connect();
                PreparedStatement settle = inOther.prepareStatement("SELECT ringtable.settle(?)")) {
            settle.setString(1, tag);
            settle.execute();
        }
        Awaitility.await()
                .until(() -> other.ask("SELECT count(*) FROM ringtable.owed WHERE address = '" + queue + "'")
                        .equals("0"));
    }
}
