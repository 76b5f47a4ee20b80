package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * One broker with three shards in three databases of PostgreSQL: shard 0 in the main one, 1 in b and 2 in c. The ways
 * to b and c are doors that tests shut (ADR 68).
 */
@Timeout(300)
class AwayDatabaseScenarioTest {
    private static final int SHARDS = 3;
    private static final long WAIT_MS = 60_000;
    private static final String WIDE = "wide.queue"; // has a part in each shard
    private static final String CLIENT = "client";

    private PostgresqlTestDatabase main;
    private PostgresqlTestDatabase b;
    private PostgresqlTestDatabase c;
    private DatabaseDoor toMain;
    private DatabaseDoor toB;
    private DatabaseDoor toC;
    private TestBroker broker;

    @BeforeEach
    void makeThree() throws Exception {
        try {
            main = PostgresqlTestDatabase.migrated();
            b = PostgresqlTestDatabase.migrated();
            c = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        toMain = new DatabaseDoor(main.settings());
        toB = new DatabaseDoor(b.settings());
        toC = new DatabaseDoor(c.settings());
    }

    @AfterEach
    void stop() throws Exception {
        if (toC != null) {
            stopBroker();
            toMain.close();
            toB.close();
            toC.close();
            main.close();
            b.close();
            c.close();
        }
    }

    private void stopBroker() {
        if (broker != null) {
            broker.close();
            broker = null;
        }
    }

    private void start(TestSettings settings) {
        broker = TestBroker.start(store(), settings);
    }

    /** The main database, with time-outs that are longer than a test waits. */
    private StoreSettings store() {
        return TestSettings.of(
                        "ringtable.store.url", toMain.url(),
                        "ringtable.store.username", main.settings().properties().username(),
                        "ringtable.store.password", main.settings().properties().password(),
                        "ringtable.store.connect-timeout", "5m",
                        "ringtable.store.statement-timeout", "10m")
                .store(main.settings().dataDir());
    }

    private TestSettings settings() {
        return settings("1", "2");
    }

    private TestSettings settings(String ofB, String ofC) {
        return TestSettings.of(
                        "ringtable.shards",
                        SHARDS,
                        "ringtable.lease",
                        "5s",
                        "ringtable.dispatch.addresses[0].match",
                        "wide.#",
                        "ringtable.dispatch.addresses[0].parts",
                        SHARDS)
                .with(stored(0, "b", toB, b, ofB))
                .with(stored(1, "c", toC, c, ofC));
    }

    private static Object[] stored(
            int place, String name, DatabaseDoor door, PostgresqlTestDatabase database, String shards) {
        String store = "ringtable.stores[" + place + "].";
        return new Object[] {
            store + "name", name,
            store + "url", door.url(),
            store + "username", database.settings().properties().username(),
            store + "password", database.settings().properties().password(),
            store + "shards", shards
        };
    }

    // ---- what tests look at

    private List<Phase> phases() {
        return broker.status().shards().stream().map(ShardStatus::phase).toList();
    }

    private void awaitAll() {
        await().until(() -> phases().equals(List.of(Phase.ACTIVE, Phase.ACTIVE, Phase.ACTIVE)));
    }

    /** Creates addresses until one lives in the shard. */
    private String nameIn(int shard, AddressKind kind) {
        for (int i = 0; ; i++) {
            String name = kind.name().toLowerCase(Locale.ROOT) + "." + i;
            long id = broker.shard()
                    .catalog()
                    .ensure(name, kind)
                    .toCompletableFuture()
                    .join()
                    .id();
            if (ShardIds.shardOf(id) == shard) {
                return name;
            }
        }
    }

    /** A group of each part of the wide queue. */
    private List<String> groups() {
        Parts parts = broker.shard().partsOf(broker.shard().lookup().find(WIDE));
        String[] groups = new String[SHARDS];
        for (int i = 0; Arrays.asList(groups).contains(null); i++) {
            groups[parts.indexOf(PartKey.of("group " + i))] = "group " + i;
        }
        return List.of(groups);
    }

    private static void send(JMSContext context, String queue, String group, String text) {
        var producer = context.createProducer();
        if (group != null) {
            producer.setProperty("JMSXGroupID", group);
        }
        producer.send(context.createQueue(queue), text);
    }

    private static List<String> receive(JMSConsumer consumer, int count) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(consumer.receiveBody(String.class, WAIT_MS));
        }
        assertThat(consumer.receiveNoWait()).isNull();
        return texts;
    }

    private static String receiveOne(JMSContext context, String queue) {
        try (JMSConsumer consumer = context.createConsumer(context.createQueue(queue))) {
            return consumer.receiveBody(String.class, WAIT_MS);
        }
    }

    private static void publish(PostgresqlTestDatabase database, String address, String text) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement call = connection.prepareStatement("SELECT ringtable.publish(?, ?)")) {
            call.setString(1, address);
            call.setString(2, text);
            call.execute();
        }
    }

    private JsonNode address(String name) {
        return Administrator.of(broker, "").get("/addresses/" + name);
    }

    // ---- a start without a database

    @Test
    void aNodeStartsWithTheShardsThatAreThereAndTakesTheOthersWhenTheyComeBack() throws Exception {
        start(settings());
        List<String> queues =
                List.of(nameIn(0, AddressKind.QUEUE), nameIn(1, AddressKind.QUEUE), nameIn(2, AddressKind.QUEUE));
        String topic = nameIn(1, AddressKind.TOPIC);
        List<String> groups;
        try (JMSContext context = broker.jms().createContext()) {
            context.setClientID(CLIENT);
            context.createDurableConsumer(context.createTopic(topic), "durable").close();
            queues.forEach(queue -> send(context, queue, null, "before"));
            send(context, WIDE, null, "made");
            receiveOne(context, WIDE);
            groups = groups();
            groups.forEach(group -> send(context, WIDE, group, "before of " + group));
        }
        stopBroker();
        toB.shut();
        toC.shut();

        start(settings());

        assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.STANDBY, Phase.STANDBY);
        assertThat(broker.status().shards().get(1).text()).contains(toB.url());
        assertThat(broker.status().state().text()).contains("; shard 1 is away, STANDBY: ");
        assertThat(address(queues.get(1)).get("away").toString()).isEqualTo("[1]");
        assertThat(address(WIDE).get("shards").toString()).isEqualTo("[0,1,2]");
        assertThat(address(WIDE).get("away").toString()).isEqualTo("[1,2]");
        try (JMSContext context = broker.jms().createContext()) {
            context.setClientID(CLIENT);
            assertThat(receiveOne(context, queues.get(0))).isEqualTo("before");
            assertThatThrownBy(() -> context.createConsumer(context.createQueue(queues.get(1))))
                    .hasMessageContaining("RT-4533 shard 1 of this node is away");
            assertThatThrownBy(() -> context.unsubscribe("durable"))
                    .hasMessageContaining("RT-4533 shard 1 of this node is away");
            assertThat(ShardIds.shardOf(broker.shard()
                            .catalog()
                            .ensure("new", AddressKind.QUEUE)
                            .toCompletableFuture()
                            .join()
                            .id()))
                    .isZero();
            publish(main, queues.get(1), "by sql");

            JMSConsumer wide = context.createConsumer(context.createQueue(WIDE));
            assertThat(receive(wide, 1)).containsExactly("before of " + groups.get(0));
            assertThatThrownBy(() -> send(context, WIDE, groups.get(1), "refused"))
                    .hasMessageContaining("RT-4586 the part of queue '" + WIDE + "'");
            send(context, WIDE, groups.get(0), "of a key");
            send(context, WIDE, null, "of none");
            assertThat(receive(wide, 2)).containsExactlyInAnyOrder("of a key", "of none");

            toB.open();
            toC.open();
            awaitAll();
            assertThat(receive(wide, 2))
                    .as("the link gets what the parts have that came back")
                    .containsExactlyInAnyOrder("before of " + groups.get(1), "before of " + groups.get(2));
            send(context, WIDE, groups.get(1), "after");
            assertThat(receive(wide, 1)).containsExactly("after");
            assertThat(receiveOne(context, queues.get(2))).isEqualTo("before");
            JMSConsumer ofB = context.createConsumer(context.createQueue(queues.get(1)));
            assertThat(receive(ofB, 2)).containsExactly("before", "by sql");
            context.unsubscribe("durable");
        }
        assertThat(address(WIDE).has("away")).isFalse();
    }

    /** A new shard waits for the database, and keeps nothing else from being served. */
    @Test
    void noRingIsLaidWhileADatabaseIsAwayThatMayHaveIt() throws Exception {
        toC.shut();
        assertThatThrownBy(() -> start(settings()))
                .isInstanceOf(StoreFailure.class)
                .hasMessageStartingWith("RT-4585 shard 0 has no ring in store 'main' yet, and store 'c' may have it");
        assertThat(main.ask("SELECT count(*) FROM ringtable.shard")).isEqualTo("0");
        assertThat(b.ask("SELECT count(*) FROM ringtable.shard")).isEqualTo("0");

        toC.open();
        TestSettings two = TestSettings.of("ringtable.shards", 2).with(stored(0, "b", toB, b, "1"));
        start(two);
        stopBroker();
        toB.shut();
        start(settings()); // the third shard is new
        assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.STANDBY, Phase.STANDBY);
        assertThat(broker.status().shards().get(2).text())
                .contains("RT-4585 shard 2 has no ring in store 'c' yet, and store 'b' may have it");
        assertThat(c.ask("SELECT count(*) FROM ringtable.shard")).isEqualTo("0");
        toB.open();
        awaitAll();
        assertThat(c.ask("SELECT shard_id FROM ringtable.shard")).isEqualTo("2");
        assertThat(c.ask("SELECT string_agg(shard_id::text, ',') FROM ringtable.placement WHERE here"))
                .isEqualTo("2");
    }

    // ---- shards that lie elsewhere

    @Test
    void aShardThatLiesElsewhereIsFoundWhicheverDatabaseIsAway() throws Exception {
        start(settings());
        stopBroker();

        toB.shut();
        assertRefused(settings("2", "1"), "RT-1209 shard 2 lies in store 'c', where it has its ring");
        TestSettings withoutB = TestSettings.of("ringtable.shards", SHARDS).with(stored(0, "c", toC, c, "1,2"));
        assertRefused(withoutB, "RT-1209 shard 1 lies in store 'b', at " + toB.url());
        assertThat(c.ask("SELECT string_agg(shard_id::text, ',') FROM ringtable.shard"))
                .isEqualTo("2");

        toC.shut();
        start(settings("2", "1"));
        assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.STANDBY, Phase.STANDBY);
        toC.open();
        await().until(() -> phases().get(1) == Phase.FAILED); // the configuration has it in c
        assertThat(broker.status().shards().get(1).text())
                .contains("RT-1209 shard 2 lies in store 'c', where it has its ring");
        assertThat(c.ask("SELECT string_agg(shard_id::text, ',') FROM ringtable.shard"))
                .isEqualTo("2");
        stopBroker();

        toB.open();
        start(settings());
        awaitAll();
        stopBroker();
        toMain.shut();
        assertThatThrownBy(() -> start(settings()))
                .isInstanceOf(StoreFailure.class)
                .hasMessageStartingWith("RT-1217 the node does not start without the database of ringtable.store");
    }

    private void assertRefused(TestSettings settings, String text) {
        assertThatThrownBy(() -> start(settings))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith(text);
    }

    // ---- a database that does not answer

    /**
     * The carrier of shard 0 would ask the silent database at once after it has brought the first message. The second
     * one must not wait until that question ends.
     */
    @Test
    void messagesOfAnotherDatabaseComeWhileOneAcceptsAndNeverAnswers() throws Exception {
        start(settings());
        String queue = nameIn(0, AddressKind.QUEUE);
        try (JMSContext context = broker.jms().createContext()) {
            Queue of0 = context.createQueue(queue);
            JMSConsumer consumer = context.createConsumer(of0);
            publish(b, queue, "earlier");
            assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("earlier");

            toC.fallSilent();

            for (String text : List.of("first", "second", "third")) {
                publish(b, queue, text);
                assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo(text);
            }
            await().until(() -> phases().get(2) != Phase.ACTIVE);
            assertThat(phases().subList(0, 2)).containsExactly(Phase.ACTIVE, Phase.ACTIVE);
        } finally {
            toC.open(); // else the broker waits for its answers when it closes
        }
    }
}
