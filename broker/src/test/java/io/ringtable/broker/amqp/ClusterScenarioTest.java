package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several nodes serve the shards of one database of PostgreSQL at the same time, each those that it owns (ADR 64). */
@Timeout(300)
class ClusterScenarioTest {
    private static final int SHARDS = 4;
    private static final long WAIT_MS = 60_000;
    private static final String PASSWORD = "secret";
    private static final String HASH = ScramVerifier.of(
                    ScramHash.SHA_512, PASSWORD, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII), 4_096)
            .notation();

    @TempDir
    private Path directory;

    private PostgresqlTestDatabase database;
    private final Map<String, TestBroker> nodes = new TreeMap<>();
    private final Map<String, DatabaseDoor> doors = new TreeMap<>(); // the way of each node to the database

    @BeforeEach
    void makeDatabase() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
    }

    @AfterEach
    void stop() throws Exception {
        for (TestBroker node : nodes.values()) {
            node.close();
        }
        for (DatabaseDoor door : doors.values()) {
            door.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private TestBroker start(String name, String shards, Object... more) throws Exception {
        DatabaseDoor door = new DatabaseDoor(database.settings());
        doors.put(name, door);
        StoreSettings store = TestSettings.of(
                        "ringtable.store.url", door.url(),
                        "ringtable.store.username",
                                database.settings().properties().username(),
                        "ringtable.store.password",
                                database.settings().properties().password())
                .store(directory.resolve(name));
        TestSettings settings = TestSettings.of(
                        "ringtable.shards",
                        SHARDS,
                        "ringtable.lease",
                        "2s",
                        "ringtable.cluster.enabled",
                        true,
                        "ringtable.cluster.shards",
                        shards)
                .with(more);
        TestBroker node = TestBroker.start(store, settings);
        nodes.put(name, node);
        return node;
    }

    private void close(String name) {
        nodes.remove(name).close();
    }

    // ---- what tests look at

    private static List<Integer> owned(TestBroker node) {
        return node.status().shards().stream()
                .filter(ShardStatus::isActive)
                .map(ShardStatus::number)
                .toList();
    }

    /** The shards of which a node says that another one, which it names, has them. */
    private static List<Integer> elsewhere(TestBroker node) {
        return node.status().shards().stream()
                .filter(ShardStatus::isElsewhere)
                .map(ShardStatus::number)
                .toList();
    }

    /** Until a node knows where clients reach another one, whose port was not known before it served. */
    private static void awaitKnown(TestBroker node, TestBroker other) {
        await().until(() -> node.status().shards().stream()
                .anyMatch(shard -> shard.isElsewhere() && shard.owner().contains(url(other))));
    }

    private static void awaitOwned(TestBroker node, Integer... shards) {
        await().until(() -> owned(node), List.of(shards)::equals);
    }

    private static int shardOf(TestBroker node, String name) {
        return ShardIds.shardOf(node.shard().lookup().find(name).id());
    }

    private static String url(TestBroker node) {
        return "amqp://127.0.0.1:" + node.port();
    }

    private static void send(TestBroker node, String queue, String text) {
        try (JMSContext context = node.jms().createContext()) {
            context.createProducer().send(context.createQueue(queue), text);
        }
    }

    private static String receive(TestBroker node, String queue) {
        try (JMSContext context = node.jms().createContext()) {
            return context.createConsumer(context.createQueue(queue)).receiveBody(String.class, WAIT_MS);
        }
    }

    // ---- who serves what

    @Test
    void eachNodeServesItsShardsAndNamesTheNodeThatHasAnother() throws Exception {
        TestBroker a = start("a", "0,1");
        TestBroker b = start("b", "2,3");
        awaitOwned(a, 0, 1);
        awaitOwned(b, 2, 3);
        send(a, "of.a", "1");
        send(b, "of.b", "2");
        assertThat(shardOf(a, "of.a")).isLessThan(2);
        assertThat(shardOf(b, "of.b")).isGreaterThanOrEqualTo(2);
        await().until(() -> elsewhere(a), List.of(2, 3)::equals);
        await().until(() -> elsewhere(b), List.of(0, 1)::equals);
        awaitKnown(a, b);
        awaitKnown(b, a);

        assertThatThrownBy(() -> send(a, "of.b", "no"))
                .hasMessageContaining("RT-4600 shard " + shardOf(b, "of.b") + " is served by node '")
                .hasMessageContaining(url(b))
                .hasMessageContaining("amqp:connection:forced");
        assertThatThrownBy(() -> receive(b, "of.a"))
                .hasMessageContaining("RT-4600 shard " + shardOf(a, "of.a") + " is served by node '")
                .hasMessageContaining(url(a));
        assertThat(receive(a, "of.a")).isEqualTo("1");
        assertThat(receive(b, "of.b")).isEqualTo("2");
        assertThat(a.status().state().text()).contains("; shard 2 is at node '").contains(url(b));
        assertThat(a.status().shards()).noneMatch(ShardStatus::isMissed);

        Administrator.of(b, "").delete("/addresses/of.b");
        await().until(() -> a.shard().lookup().find("of.b") == null);
        send(a, "of.b", "again");
        assertThat(shardOf(a, "of.b")).as("made anew where it was asked for").isLessThan(2);
    }

    @Test
    void aNameIsMadeOnceWhoeverAsksFirst() throws Exception {
        TestBroker a = start("a", "0,1");
        TestBroker b = start("b", "2,3");
        awaitOwned(b, 2, 3);
        List<CompletableFuture<?>> asked = new ArrayList<>();
        int names = 40;
        for (int i = 0; i < names; i++) {
            for (TestBroker node : List.of(a, b)) {
                asked.add(node.shard()
                        .catalog()
                        .ensure("name." + i, AddressKind.QUEUE)
                        .handle((made, failure) -> failure == null ? made : null)
                        .toCompletableFuture());
            }
        }
        asked.forEach(CompletableFuture::join);
        for (int i = 0; i < names; i++) {
            boolean isOfA = asked.get(2 * i).join() != null;
            boolean isOfB = asked.get(2 * i + 1).join() != null;
            assertThat(isOfA).as("name." + i).isNotEqualTo(isOfB);
        }
        assertThat(database.ask("SELECT count(*) FROM ringtable.address WHERE name LIKE 'name.%'"))
                .isEqualTo(String.valueOf(names));
        assertThat(database.ask("SELECT count(*) FROM ringtable.home WHERE name LIKE 'name.%'"))
                .isEqualTo(String.valueOf(names));
    }

    // ---- nodes that go

    @Test
    void othersTakeTheShardsOfANodeThatStopsAndServeWhatItStored() throws Exception {
        TestBroker a = start("a", "");
        awaitOwned(a, 0, 1, 2, 3);
        IntStream.range(0, SHARDS).forEach(i -> send(a, "queue." + i, "text " + i));
        assertThat(IntStream.range(0, SHARDS)
                        .mapToObj(i -> shardOf(a, "queue." + i))
                        .collect(Collectors.toSet()))
                .hasSize(SHARDS);
        TestBroker b = start("b", "");
        assertThat(owned(b)).isEmpty();

        close("a");
        awaitOwned(b, 0, 1, 2, 3);
        IntStream.range(0, SHARDS)
                .forEach(i -> assertThat(receive(b, "queue." + i)).isEqualTo("text " + i));
    }

    @Test
    void othersTakeTheShardsOfANodeThatIsCutOff() throws Exception {
        TestBroker a = start("a", "0,1");
        TestBroker b = start("b", "");
        awaitOwned(b, 2, 3);
        send(a, "of.a", "1");
        send(b, "of.b", "2");
        int shard = shardOf(a, "of.a");
        await().until(() -> elsewhere(b), List.of(0, 1)::equals);

        try (JMSContext stays = b.jms().createContext()) {
            doors.get("a").shut();
            awaitOwned(b, 0, 1, 2, 3);
            assertThat(stays.createConsumer(stays.createQueue("of.b")).receiveBody(String.class, WAIT_MS))
                    .isEqualTo("2");
            assertThat(stays.createConsumer(stays.createQueue("of.a")).receiveBody(String.class, WAIT_MS))
                    .isEqualTo("1");
        }
        doors.get("a").open();
        await().until(() -> !a.status().state().isActive());
        assertThat(shardOf(b, "of.a")).isEqualTo(shard);
    }

    // ---- settings

    @Test
    void whatIsSetAtTheNodeOfTheFirstShardCountsAtTheOthers() throws Exception {
        Object[] root = {
            "ringtable.security.users[0].name", "root", "ringtable.security.users[0].password", "{noop}root"
        };
        TestBroker a = start("a", "0,1", root);
        TestBroker b = start("b", "2,3", root);
        awaitOwned(b, 2, 3);
        assertThatThrownBy(() -> logIn(b, "root", PASSWORD)).isInstanceOf(JMSSecurityException.class);
        logIn(b, "root", "root");

        Administrator atA = Administrator.of(a, "root");
        Administrator atB = Administrator.of(b, "root");
        atA.make("/users/ann", "{'passwordHash': '" + HASH + "'}");
        await().until(() -> atB.get("/users").toString().contains("\"ann\""));
        logIn(b, "ann", PASSWORD);
        atA.delete("/users/ann");
        await().until(() -> !atB.get("/users").toString().contains("\"ann\""));
        assertThatThrownBy(() -> logIn(b, "ann", PASSWORD)).isInstanceOf(JMSSecurityException.class);

        awaitKnown(b, a);
        assertThat(atB.refused(503, "RT-4600", "PUT", "/users/bob", "{'passwordHash': '" + HASH + "'}"))
                .contains("shard 0 is served by node '")
                .contains(url(a));

        atA.make("/users/cat", "{'passwordHash': '" + HASH + "'}");
        close("a");
        TestBroker c = start("c", "0", root);
        awaitOwned(c, 0);
        Administrator.of(c, "root").delete("/users/cat");
        await().until(() -> !atB.get("/users").toString().contains("\"cat\""));
    }

    private static void logIn(TestBroker node, String user, String password) throws JMSException {
        node.jms(user, password).createConnection().close();
    }
}
