package io.ringtable.broker.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.Bound;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.node.NodeTable;
import io.ringtable.broker.store.node.NodeTable.ShardOwner;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keepers on the tables of one file see each other; their clock is the test's, that of the file is the machine's. */
class NodeKeeperTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final int SHARD = 3;

    @TempDir
    Path directory;

    private final AtomicLong nanos = new AtomicLong();
    private RingStore store;
    private long epoch;

    @BeforeEach
    void anOwnedShard() {
        store = RingStores.open(StoreSettings.embedded(directory).ofShard(SHARD));
        Ownership owned = store.acquire("one", "host-1 pid 1", LEASE, new RingGeometry(RingGeometry.CAPACITY_STEP));
        epoch = ((Ownership.Owned) owned).epoch();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private NodeKeeper keeper(String id, int process) {
        return keeper(id, "host-" + process + " pid " + process, new AtomicReference<>("STANDBY"));
    }

    private NodeKeeper keeper(String id, String description, AtomicReference<String> state) {
        return new NodeKeeper(description, "1.0", LEASE, state::get, () -> "amqp://" + id, nanos::get)
                .of(id, () -> List.of(store.nodes()));
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable-shard-3.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 5000");
            statement.executeUpdate(sql);
        }
    }

    private static String stateOf(NodeKeeper keeper, String id) {
        return keeper.status().nodes().stream()
                .filter(node -> node.id().equals(id))
                .map(NodesStatus.Node::state)
                .findFirst()
                .orElse("(not there)");
    }

    @Test
    void showsTheOwnerWithItsShardAndTheStandByWithNone() {
        NodeKeeper one = keeper("one", 1);
        NodeKeeper two = keeper("two", 2);
        one.beat("ACTIVE");
        two.beat("STANDBY");
        one.beat("ACTIVE");

        assertThat(one.status().nodes())
                .containsExactly(
                        new NodesStatus.Node(
                                "one",
                                "host-1 pid 1",
                                "ACTIVE",
                                true,
                                "1.0",
                                "amqp://one",
                                0L,
                                List.of(new NodesStatus.OwnedShard(SHARD, epoch))),
                        new NodesStatus.Node(
                                "two",
                                "host-2 pid 2",
                                "STANDBY",
                                false,
                                "1.0",
                                "amqp://two",
                                one.status().nodes().get(1).seenMsAgo(),
                                List.of()));
        assertThat(two.status().nodes())
                .extracting(NodesStatus.Node::id, NodesStatus.Node::state, NodesStatus.Node::self)
                .containsExactly(Assertions.tuple("one", "ACTIVE", false), Assertions.tuple("two", "STANDBY", true));
        assertThat(one.status().alive()).isEqualTo(2);
        assertThat(one.status().owned()).isEqualTo(1);
        assertThat(two.status().owned()).isZero();
        SeenNodes seen = two.seen();
        assertThat(seen.ownerOf(SHARD)).map(ShardOwner::epoch).contains(epoch);
        assertThat(seen.ownerOf(0)).isEmpty();
        assertThat(seen.node("one"))
                .hasValueSatisfying(node -> assertThat(node.url()).isEqualTo("amqp://one"));
        assertThat(seen.node("three")).isEmpty();
    }

    /** The first broker of all begins to beat before it has made the tables. */
    @Test
    void aSchemaWithoutTheTableIsNoTroubleWhileTheNodeStarts() throws SQLException {
        execute("ALTER TABLE node RENAME TO node_later");
        NodeKeeper one = keeper("one", 1);
        one.beat("STARTING");
        assertThat(one.status().trouble()).isNull();
        one.beat("STANDBY");
        assertThat(one.status().trouble()).startsWith("RT-4540 ");
        execute("ALTER TABLE node_later RENAME TO node");
        one.beat("STANDBY");
        assertThat(one.status().trouble()).isNull();
    }

    /** Its silence may take long each time: it is asked again after a lease. */
    @Test
    void aDatabaseThatDoesNotSayWhoOwnsItsShardsHidesNothingElse() {
        AtomicInteger asked = new AtomicInteger();
        AtomicBoolean silent = new AtomicBoolean(true);
        NodeTable other = (NodeTable) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {NodeTable.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("place")) {
                        return "the other database";
                    }
                    asked.incrementAndGet();
                    if (silent.get()) {
                        throw new StoreFailure(StoreFailure.Kind.UNAVAILABLE, "RT-3013", "of the test");
                    }
                    return List.of();
                });
        NodeKeeper one = new NodeKeeper("host-1 pid 1", "1.0", LEASE, () -> "ACTIVE", () -> "amqp://one", nanos::get)
                .of("one", () -> List.of(store.nodes(), other));
        one.beat("ACTIVE");
        one.beat("ACTIVE");
        assertThat(one.status().trouble()).startsWith("RT-4587 ").contains("RT-3013 of the test");
        assertThat(one.status().nodes().get(0).shards()).containsExactly(new NodesStatus.OwnedShard(SHARD, epoch));
        assertThat(asked).hasValue(1);

        silent.set(false);
        nanos.addAndGet(LEASE.toNanos());
        one.beat("ACTIVE");
        assertThat(asked).hasValue(2);
        assertThat(one.status().trouble()).isNull();
    }

    @Test
    void aNodeThatIsNotSeenForLongerThanItsLeaseIsLostUntilItComesBack() throws SQLException {
        NodeKeeper one = keeper("one", 1);
        NodeKeeper two = keeper("two", 2);
        two.beat("STANDBY");
        execute("UPDATE node SET seen_at = seen_at - 10001 WHERE node_id = 'two'");
        one.beat("ACTIVE");

        assertThat(stateOf(one, "two")).isEqualTo(NodesStatus.LOST);
        assertThat(one.status().lost()).extracting(NodesStatus.Node::id).containsExactly("two");
        assertThat(one.status().alive()).isEqualTo(1);

        execute("UPDATE node SET run_id = 'old' WHERE node_id = 'two'"); // else a file is not written for a minute
        two.beat("STANDBY");
        one.beat("ACTIVE");
        assertThat(stateOf(one, "two")).isEqualTo("STANDBY");
    }

    @Test
    void aNodeThatStopsBeatingIsLostBetweenTwoLooksToo() throws SQLException {
        NodeKeeper one = keeper("one", 1);
        keeper("two", 2).beat("STANDBY");
        execute("UPDATE node SET seen_at = seen_at - 5000 WHERE node_id = 'two'");
        one.beat("ACTIVE");

        assertThat(stateOf(one, "two")).isEqualTo("STANDBY");
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));
        assertThat(stateOf(one, "two")).isEqualTo(NodesStatus.LOST);
        assertThat(one.status().nodes().get(0).seenMsAgo()).isEqualTo(6_000);
        assertThat(one.status().nodes().get(1).seenMsAgo()).isGreaterThanOrEqualTo(11_000);
    }

    @Test
    void whenTheDatabaseIsAwayNobodyIsKnownToBeAliveOrLost() {
        NodeKeeper one = keeper("one", 1);
        keeper("two", 2).beat("STANDBY");
        one.beat("ACTIVE");

        store.close();
        one.beat("ACTIVE");
        assertThat(stateOf(one, "two"))
                .as("what was heard last counts for a lease")
                .isEqualTo("STANDBY");
        assertThat(one.status().trouble()).startsWith("RT-4541 ").contains("RT-3013");
        nanos.addAndGet(LEASE.toNanos() + TimeUnit.MILLISECONDS.toNanos(1));

        assertThat(one.status().nodes()).extracting(NodesStatus.Node::state).containsOnly(NodesStatus.UNKNOWN);
        assertThat(one.status().nodes()).extracting(NodesStatus.Node::id).containsExactly("one", "two");
        assertThat(one.status().alive()).isZero();
        assertThat(one.status().lost()).isEmpty();
    }

    @Test
    void twoProcessesWithOneIdAreToldBothAndNoRestartIs() {
        NodeKeeper first = keeper("one", 1);
        first.beat("STANDBY");
        NodeKeeper second = keeper("one", 2);
        second.beat("STANDBY");
        second.beat("STANDBY");
        assertThat(second.status().trouble())
                .as("the first may have been its own earlier process")
                .isNull();

        first.beat("STANDBY");
        second.beat("STANDBY");
        assertThat(first.status().trouble()).startsWith("RT-4543 ").contains("'host-2 pid 2'", "the id one", "node-id");
        assertThat(second.status().trouble()).startsWith("RT-4543 ").contains("'host-1 pid 1'");

        second.beat("STANDBY");
        assertThat(second.status().trouble()).as("the first has stopped").isNull();
    }

    @Test
    void aRowThatIsADayOldIsRemoved() throws SQLException {
        NodeKeeper one = keeper("one", 1);
        keeper("gone", 2).beat("STANDBY");
        keeper("lost", 3).beat("STANDBY");
        long day = NodeKeeper.GONE.toMillis();
        execute("UPDATE node SET seen_at = seen_at - " + (day + 1) + " WHERE node_id = 'gone'");
        execute("UPDATE node SET seen_at = seen_at - " + (day - 3_600_000) + " WHERE node_id = 'lost'");

        one.beat("ACTIVE");

        assertThat(stateOf(one, "gone")).isEqualTo("(not there)");
        assertThat(stateOf(one, "lost")).isEqualTo(NodesStatus.LOST);
        assertThat(store.nodes().beat(new NodeTable.Node("looker", "r", "d", "v", "STANDBY", null, 1)))
                .noneMatch(seen -> seen.node().nodeId().equals("gone"));
    }

    @Test
    void anOwnerWithoutARowIsShownAllTheSame() {
        NodeKeeper two = keeper("two", 2);
        two.beat("STANDBY");

        assertThat(two.status().nodes())
                .filteredOn(node -> node.id().equals("one"))
                .singleElement()
                .satisfies(node -> {
                    assertThat(node.state()).isEqualTo(NodesStatus.WITHOUT_ROW);
                    assertThat(node.version()).isNull();
                    assertThat(node.seenMsAgo()).isNull();
                    assertThat(node.shards()).containsExactly(new NodesStatus.OwnedShard(SHARD, epoch));
                });
        assertThat(two.status().alive()).isEqualTo(2);
    }

    @Test
    void beatsByItselfTellsAChangeAtOnceAndTakesItsRowAwayAtTheEnd() {
        AtomicReference<String> state = new AtomicReference<>("STARTING");
        NodeKeeper one = keeper("one", "host-1", state);
        one.start("one", () -> List.of(store.nodes())); // the test's clock stands still: no beat by timer
        NodeKeeper two = keeper("two", 2);
        try {
            await().until(() -> one.seen() != null);
            state.set("ACTIVE");
            await().until(() -> stateOf(one, "one").equals("ACTIVE"));
            two.beat("STANDBY");
            assertThat(stateOf(two, "one")).isEqualTo("ACTIVE");

            nanos.addAndGet(LEASE.toNanos() / 5); // a fifth of the lease later it looks again
            await().until(() -> stateOf(one, "two").equals("STANDBY"));
        } finally {
            one.close();
        }
        two.beat("STANDBY");
        assertThat(two.seen().node("one")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 5672, -1, amqp://127.0.0.1:5672",
        "127.0.0.1, 0, -1, ",
        "127.0.0.1, 0, 4711, amqp://127.0.0.1:4711",
        "::1, 5672, 5672, amqp://[::1]:5672"
    })
    void theUrlIsThatOfTheInterfaceAndThePort(String host, int port, int bound, String url) {
        AmqpProperties amqp =
                Bound.of(AmqpProperties.class, Map.of("ringtable.amqp.host", host, "ringtable.amqp.port", port));
        assertThat(NodeUrl.of(amqp, bound)).isEqualTo(url);
    }

    @Test
    void theUrlOfANodeThatListensEverywhereHasTheNameOfItsHost() {
        AmqpProperties amqp = Bound.of(AmqpProperties.class, Map.of("ringtable.amqp.host", "0.0.0.0"));
        assertThat(NodeUrl.of(amqp, -1)).startsWith("amqp://").endsWith(":5672").doesNotContain("0.0.0.0");
    }

    @Test
    void theUrlOfTheConfigurationComesFirst() {
        AmqpProperties amqp = Bound.of(
                AmqpProperties.class, Map.of("ringtable.amqp.advertised-url", "amqps://broker-1.example.com:5671"));
        assertThat(NodeUrl.of(amqp, 4711)).isEqualTo("amqps://broker-1.example.com:5671");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "broker-1:5672",
                "http://broker-1:80",
                "amqp://broker-1",
                "amqp://:5672",
                "amqp://u:p@broker-1:5672",
                "amqp://a b:5672"
            })
    void aUrlThatNoClientCanUseIsRefused(String url) {
        Assertions.assertThatThrownBy(
                        () -> Bound.of(AmqpProperties.class, Map.of("ringtable.amqp.advertised-url", url)))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageContaining("RT-4542")
                .hasMessageContaining(url);
    }
}
