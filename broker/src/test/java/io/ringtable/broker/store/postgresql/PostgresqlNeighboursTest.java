package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.OneTopic;
import io.ringtable.broker.store.jdbc.RingStores;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two shards of one database have their segments in the same tables, and neither waits for the other. A store's
 * sessions give up a lock after three seconds here, so a verb that waits fails.
 */
class PostgresqlNeighboursTest {
    private static final int LAP = 8; // in segments

    private PostgresqlTestDatabase database;
    private OneTopic ring;
    private OneTopic neighbour;

    @BeforeEach
    void layTwo() throws SQLException {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        ring = OneTopic.laid(database.open());
        neighbour = OneTopic.laid(RingStores.open(database.settings().ofShard(1)), 1);
    }

    @AfterEach
    void remove() throws SQLException {
        if (database != null) {
            if (neighbour != null) {
                neighbour.close();
            }
            ring.close();
            database.close();
        }
    }

    @Test
    void noVerbWaitsForTheSegmentThatANeighbourEmptiesOrAdds() throws Exception {
        ring.publish(OneTopic.SEGMENT);
        ring.store.stage(ring.epoch, 1, new byte[100_000]);
        neighbour.publish(OneTopic.SEGMENT);
        neighbour.settle(0);
        try (Connection emptying = database.connect()) {
            emptying.setAutoCommit(false);
            PostgresqlServer.ask(
                    emptying,
                    "SELECT count(*) FROM reclaim(1, " + neighbour.epoch + ", 0, " + OneTopic.SEGMENT + ", 0)");
            PostgresqlServer.ask(
                    emptying, "SELECT prepare_segments(1, " + neighbour.epoch + ", " + neighbour.next + ")");
            PostgresqlServer.ask(emptying, "SELECT add_segment(1)");
            assertThat(database.ask("SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted"
                            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                            + " AND relation IN (SELECT oid FROM pg_class WHERE relname ~ '^slot_[0-9]+$')"))
                    .as("the neighbour holds the segment that it empties; nobody else sees the new one yet")
                    .isEqualTo("1");

            ring.settle(0);
            ring.store.reclaim(ring.epoch, 0, OneTopic.SEGMENT, 0);
            ring.gate = OneTopic.SEGMENT;
            turn(LAP);
            ring.publish(5);
            assertThat(ring.store.readRing(new long[] {ring.next - 1})).hasSize(1);
            assertThat(ring.store.readMessage(ring.next - 1).inRing()).isTrue();
            assertThat(ring.store.orphanedBodies()).containsExactly(1);
            assertThat(ring.recover().next()).isEqualTo(ring.gate + 5);
            ring.close();
            ring = OneTopic.found(database.open());
            ring.publish(5);
            assertThat(ring.recover().next()).isEqualTo(ring.gate + 10);
            emptying.commit();
        }
        assertThat(tablesOfTheFirst())
                .as("no segment was kept from being emptied")
                .isEqualTo("8");
        neighbour.gate = OneTopic.SEGMENT;
        neighbour.turn();
        assertThat(neighbour.recover().next()).isEqualTo(2 * OneTopic.SEGMENT);
    }

    /** A recovery takes long where the ring is large, and holds its own segments all the while. */
    @Test
    void aNeighboursRecoveryKeepsNoSegmentFromBeingEmptied() throws Exception {
        for (int i = 0; i < LAP; i++) {
            neighbour.publish(OneTopic.SEGMENT);
        }
        neighbour.store.recover(neighbour.epoch, row -> {
            if (row.message().sequence() == neighbour.next - 1) {
                turn(2 * LAP);
            }
        });
        assertThat(tablesOfTheFirst()).isEqualTo("8");
        try (Connection recovering = database.connect()) {
            recovering.setAutoCommit(false);
            for (String read : new String[] {
                "SELECT count(*) FROM recover_settlements(1, 0)",
                "SELECT recover_highest(1)",
                "SELECT count(*) FROM read_orphans(1)"
            }) {
                PostgresqlServer.ask(recovering, read);
            }
            turn(2 * LAP);
            recovering.rollback();
        }
        assertThat(tablesOfTheFirst()).isEqualTo("8");
    }

    /** Each has written rows of the table of segments before it finds that it needs one more. */
    @Test
    void twoShardsThatNeedAnotherSegmentAtTheSameTimeTakeTurns() throws Exception {
        try (Connection one = adding(0);
                Connection other = adding(1)) {
            PostgresqlServer.ask(one, "SELECT add_segment(0)");
            CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> {
                try {
                    String added = PostgresqlServer.ask(other, "SELECT add_segment(1)");
                    other.commit();
                    return added;
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            await().until(() -> database.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                            + " AND datname = current_database() AND query LIKE '%add_segment%'")
                    .equals("1"));
            ring.publish(5); // nor do they keep anybody else waiting
            neighbour.publish(5);
            one.commit();
            assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo("18");
        }
        assertThat(database.ask("SELECT string_agg(n::text, ' ') FROM (SELECT count(*) AS n FROM segment"
                        + " GROUP BY shard_id) AS s"))
                .isEqualTo("9 9");
    }

    private void turn(int segments) {
        for (int i = 0; i < segments; i++) {
            ring.turn();
        }
    }

    private String tablesOfTheFirst() throws SQLException {
        return database.ask("SELECT count(*) FROM segment WHERE shard_id = 0");
    }

    private Connection adding(int shard) throws SQLException {
        Connection connection = database.connect();
        connection.setAutoCommit(false);
        PostgresqlServer.ask(connection, "SELECT set_config('lock_timeout', '10s', false)");
        try (Statement update = connection.createStatement()) {
            update.executeUpdate("UPDATE segment SET summarized = summarized WHERE segment = (SELECT max(segment)"
                    + " FROM segment WHERE shard_id = " + shard + ")");
        }
        return connection;
    }
}
