package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.ringtable.broker.store.node.NodeTable;
import io.ringtable.broker.store.node.NodeTable.Node;
import io.ringtable.broker.store.node.NodeTable.SeenNode;
import io.ringtable.broker.store.node.NodeTable.ShardOwner;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes see each other, by the clock of the database, and get in no shard's way. */
abstract class NodeContract {
    private static final long HOUR_MS = TimeUnit.HOURS.toMillis(1);
    private static final long MINUTE_MS = TimeUnit.MINUTES.toMillis(1); // longer than a busy server takes for a call
    private static final Node ONE = node("node-1", "run-1", "STANDBY");
    private static final Node TWO = node("node-2", "run-2", "ACTIVE");

    private StoreFixture f;
    private NodeTable nodes;

    abstract StoreFixture fixture();

    abstract TestDatabase empty() throws Exception;

    @BeforeEach
    void nobodyHasBeaten() {
        f = fixture();
        nodes = f.store.nodes();
    }

    private static Node node(String id, String run, String state) {
        return new Node(id, run, id + " pid 1", "1.0", state, "amqp://" + id + ":5672", 10_000);
    }

    /** Returns what another node sees of this one. */
    private SeenNode seen(String id) {
        return nodes.beat(node("looker", "looker", "STANDBY")).stream()
                .filter(seen -> seen.node().nodeId().equals(id))
                .findFirst()
                .orElse(null);
    }

    @Test
    void nodesSeeEachOtherAsEachDescribesItself() {
        assertThat(nodes.beat(ONE)).isEmpty();
        assertThat(nodes.beat(TWO)).extracting(SeenNode::node).containsExactly(ONE);

        assertThat(nodes.beat(ONE)).extracting(SeenNode::node).containsExactlyInAnyOrder(ONE, TWO);
        assertThat(nodes.beat(ONE)).allSatisfy(seen -> assertThat(seen.ageMs()).isBetween(0L, MINUTE_MS));
    }

    @Test
    void textsComeBackAsTheyWereWritten() {
        Node odd = new Node(
                "läden/★ 'x'", "r".repeat(36), "d".repeat(400), "v".repeat(100), "RESTARTING", null, Long.MAX_VALUE);
        Node longest = new Node("n".repeat(100), "r", "läden/★", "1", "S", "u".repeat(1000), 1);
        nodes.beat(odd);
        nodes.beat(longest);

        assertThat(nodes.beat(ONE)).extracting(SeenNode::node).containsExactlyInAnyOrder(odd, longest);
    }

    @Test
    void aBeatReplacesWhatTheNodeSaidBeforeAndAnswersWithThat() {
        nodes.beat(ONE);
        Node restarted = new Node("node-1", "run-9", "node-1 pid 9", "2.0", "ACTIVE", null, 5_000);

        assertThat(nodes.beat(restarted)).extracting(SeenNode::node).containsExactly(ONE);
        assertThat(nodes.beat(restarted)).extracting(SeenNode::node).containsExactly(restarted);
    }

    @Test
    void theAgeOfANodeGrowsUntilItsNextBeat() throws SQLException {
        nodes.beat(ONE);
        moveClock(HOUR_MS);

        assertThat(seen("node-1").ageMs()).isBetween(HOUR_MS, HOUR_MS + MINUTE_MS);
        nodes.beat(ONE);
        assertThat(seen("node-1").ageMs()).isBetween(0L, MINUTE_MS);
    }

    @Test
    void aClockThatWasSetBackMakesNobodyOlderAndLeavesNobodyInTheFuture() throws SQLException {
        nodes.beat(ONE);
        moveClock(-HOUR_MS);

        assertThat(seen("node-1").ageMs()).isZero();
        moveClock(HOUR_MS / 2);
        assertThat(seen("node-1").ageMs())
                .as("since the clock was found to be set back")
                .isGreaterThan(HOUR_MS / 3);
    }

    @Test
    void aProcessRemovesItsOwnRowAndNoOther() {
        nodes.beat(ONE);
        nodes.beat(TWO);

        nodes.forget("node-1", "run-0");
        assertThat(seen("node-1").node()).isEqualTo(ONE);
        nodes.forget("node-1", "run-1");
        assertThat(seen("node-1")).isNull();
        assertThat(seen("node-2").node()).isEqualTo(TWO);
    }

    @Test
    void theOwnerOfTheShardIsToldWithItsEpoch() {
        assertThat(nodes.owners()).singleElement().satisfies(owner -> {
            assertThat(owner)
                    .extracting(ShardOwner::shard, ShardOwner::epoch, ShardOwner::nodeId, ShardOwner::description)
                    .containsExactly(f.shard, f.epoch, StoreFixture.NODE, "contract suite");
            assertThat(owner.leaseLeftMs()).isPositive();
        });
        f.own();
        assertThat(nodes.owners()).extracting(ShardOwner::epoch).containsExactly(f.epoch);
    }

    @Test
    void aShardWhoseOwnerHasResignedHasNone() {
        Assumptions.assumeFalse(f.store.limits().exclusiveFile(), "a file has a lock instead of a lease");
        f.store.resign(f.epoch);
        assertThat(nodes.owners()).isEmpty();
    }

    @Test
    void ownersOfAllShardsAreToldByTheDatabasesTheyLieIn() {
        StoreFixture g = f.neighbour();
        try {
            List<ShardOwner> owners = new ArrayList<>(nodes.owners());
            if (!g.store.nodes().place().equals(nodes.place())) {
                owners.addAll(g.store.nodes().owners());
            }
            assertThat(owners)
                    .extracting(ShardOwner::shard, ShardOwner::epoch)
                    .containsExactly(tuple(f.shard, f.epoch), tuple(g.shard, g.epoch));
        } finally {
            g.store.close();
        }
    }

    @Test
    void aSchemaWithoutTheTableIsToldUntilTheFirstOwnerHasMadeIt() throws Exception {
        TestDatabase database = empty();
        try (RingStore store = database.open()) {
            StoreFailure failure =
                    catchThrowableOfType(StoreFailure.class, () -> store.nodes().beat(ONE));
            assertThat(failure.code()).isEqualTo("RT-4540");
            assertThat(failure.kind()).isEqualTo(StoreFailure.Kind.UNAVAILABLE);
            assertThat(store.nodes().owners()).isEmpty();

            store.acquire(StoreFixture.NODE, "contract suite", StoreFixture.LEASE, StoreFixture.GEOMETRY);
            assertThat(store.nodes().beat(ONE)).isEmpty();
            assertThat(store.nodes().beat(ONE)).hasSize(1);
        } finally {
            database.close();
        }
    }

    @Test
    void aBeatThatWaitsKeepsNeitherARenewalNorAFlush() throws Exception {
        Assumptions.assumeFalse(f.store.limits().exclusiveFile(), "nobody else has the file");
        AddressRow topic = f.topic("orders", 1);
        nodes.beat(ONE);
        CompletableFuture<Void> beating;
        try (Connection holder = f.database.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.executeUpdate("UPDATE ringtable.node SET lease_ms = lease_ms");
            beating = CompletableFuture.runAsync(() -> nodes.beat(ONE));
            for (int i = 0; i < 20; i++) { // more than the pool has connections
                f.store.renew(f.epoch);
                f.batch().publish(topic, 1).flush();
            }
            assertThat(beating).isNotDone();
            holder.rollback();
        }
        beating.get(1, TimeUnit.MINUTES);
        f.agrees();
    }

    @Test
    void aLostConnectionCostsOneBeatAtMost() throws SQLException {
        nodes.beat(ONE);
        f.database.cutConnections();
        catchThrowableOfType(StoreFailure.class, () -> nodes.beat(ONE));
        assertThat(nodes.beat(TWO)).extracting(SeenNode::node).containsExactly(ONE);
    }

    @Test
    void aStoreThatIsClosedHasNoNodes() {
        nodes.beat(ONE);
        f.store.close();
        assertThat(catchThrowableOfType(StoreFailure.class, () -> nodes.beat(ONE))
                        .kind())
                .isEqualTo(StoreFailure.Kind.UNAVAILABLE);
        f.open();
    }

    /** Lets the clock of the database go on by so much, or back: all rows are older, or from the future, then. */
    private void moveClock(long ms) throws SQLException {
        String earlier = switch (f.engine()) {
            case "sqlite" -> "UPDATE node SET seen_at = seen_at - " + ms;
            case "postgresql" -> "UPDATE ringtable.node SET seen_at = seen_at - " + ms + " * interval '1 millisecond'";
            default -> "UPDATE ringtable.node SET seen_at = DATEADD(SECOND, " + -ms / 1000 + ", seen_at)";
        };
        try (Connection connection = f.database.connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(earlier);
        }
    }
}
