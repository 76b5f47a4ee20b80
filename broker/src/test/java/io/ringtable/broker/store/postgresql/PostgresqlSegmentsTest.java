package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.OneTopic;
import io.ringtable.broker.store.StoreFailure;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Segments are emptied behind the gate and never before it, whoever reads them meanwhile. */
class PostgresqlSegmentsTest {
    private static final int LAPS = 3 * 8; // in segments

    private PostgresqlTestDatabase database;
    private OneTopic ring;

    @BeforeEach
    void lay() throws SQLException {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        ring = OneTopic.laid(database.open());
    }

    @AfterEach
    void remove() throws SQLException {
        if (database != null) {
            ring.close();
            database.close();
        }
    }

    @Test
    void aRingThatTurnsUsesTheSameTablesAgain() throws Exception {
        for (int i = 0; i < LAPS; i++) {
            ring.turn();
        }
        assertThat(database.ask("SELECT count(*) FROM segment")).isEqualTo("8");
        assertThat(database.ask("SELECT count(*) FROM slot")).isEqualTo("0");
        assertThat(database.ask("SELECT count(*) FROM settlement")).isEqualTo("0");
        ring.publish(5);
        assertThat(database.ask("SELECT min(sequence) || ' ' || max(sequence) FROM slot"))
                .isEqualTo(ring.gate + " " + (ring.next - 1));
    }

    @Test
    void aGateInTheMiddleOfASegmentTakesANinthTable() throws Exception {
        // The smallest ring has one block per segment; a larger one is needed for a gate inside a segment.
        ring.close();
        database.close();
        database = PostgresqlTestDatabase.migrated();
        try (io.ringtable.broker.store.RingStore store = database.open()) {
            long epoch = ((io.ringtable.broker.store.Ownership.Owned) store.acquire(
                            OneTopic.NODE, "test", OneTopic.LEASE, new io.ringtable.broker.ring.RingGeometry(16_384)))
                    .epoch();
            assertThat(database.ask("SELECT count(*) FROM segment")).isEqualTo("8");
            database.execute("INSERT INTO slot (segment, group_no, priority, reference_count, sequence, address_id,"
                    + " pending, published_at, body) SELECT 1, 0, 4, 1, s, 0, 1, now(), ''"
                    + " FROM generate_series(0, 2047) s");
            store.reclaim(epoch, 0, 1024, 0); // nobody subscribes: nothing is owed
            assertThat(database.ask("SELECT count(*) FROM segment")).isEqualTo("9");
            store.reclaim(epoch, 1024, 2048, 0);
            assertThat(database.ask("SELECT count(*) FROM segment WHERE ordinal IS NULL"))
                    .isEqualTo("1");
        }
        ring = OneTopic.laid(PostgresqlTestDatabase.migrated().open());
    }

    @Test
    void aReaderThatHoldsTheRingForLapsStopsNobody() throws Exception {
        ring.publish(OneTopic.SEGMENT);
        try (Connection reader = database.connect()) {
            long seen = holdAsADumpDoes(reader);
            ring.settle(0);
            ring.store.reclaim(ring.epoch, 0, OneTopic.SEGMENT, 0);
            ring.gate = OneTopic.SEGMENT;
            for (int i = 0; i < LAPS; i++) {
                ring.turn();
            }
            int tables = Integer.parseInt(database.ask("SELECT count(*) FROM segment"));
            assertThat(tables).as("as many again as the reader holds, once").isBetween(9, 17);
            assertThat(count(reader)).as("the reader's snapshot stays whole").isEqualTo(seen);
            reader.rollback();
        }
        for (int i = 0; i < LAPS; i++) {
            ring.turn();
        }
        assertThat(database.ask("SELECT count(*) FROM slot")).isEqualTo("0");
        assertThat(Integer.parseInt(database.ask("SELECT count(*) FROM segment")))
                .isLessThanOrEqualTo(17);
    }

    @Test
    void aSnapshotThatStaysOpenLetsNothingGrow() throws Exception {
        try (Connection snapshot = database.connect()) {
            snapshot.setAutoCommit(false);
            snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            PostgresqlServer.ask(snapshot, "SELECT count(*) FROM pg_class");
            ring.turn();
            long before = size();
            for (int i = 0; i < LAPS; i++) {
                ring.turn();
            }
            assertThat(size()).isLessThan(2 * before);
            snapshot.rollback();
        }
    }

    @Test
    void whatAnOwnerLeftFullTheNextOneEmpties() throws Exception {
        ring.publish(OneTopic.SEGMENT);
        ring.settle(0);
        try (Connection reader = database.connect()) {
            holdAsADumpDoes(reader);
            ring.store.reclaim(ring.epoch, 0, OneTopic.SEGMENT, 0);
            reader.rollback();
        }
        assertThat(database.ask("SELECT count(*) FROM slot")).isEqualTo(String.valueOf(OneTopic.SEGMENT));
        ring.close();
        ring = OneTopic.found(database.open());
        assertThat(database.ask("SELECT count(*) FROM slot")).isEqualTo("0");
        assertThat(ring.gate).isEqualTo(OneTopic.SEGMENT);
        ring.publish(10);
        assertThat(ring.recover().next()).isEqualTo(OneTopic.SEGMENT + 10);
    }

    @Test
    void aFormerOwnerThatWakesUpEmptiesNothing() throws Exception {
        ring.publish(OneTopic.SEGMENT);
        try (OneTopic successor = OneTopic.found(database.open())) {
            successor.settle(0);
            successor.store.reclaim(successor.epoch, 0, OneTopic.SEGMENT, 0);
            successor.gate = OneTopic.SEGMENT;
            successor.publish(10);
            StoreFailure fenced = catchThrowableOfType(
                    StoreFailure.class, () -> ring.store.reclaim(ring.epoch, 0, OneTopic.SEGMENT, 0));
            assertThat(fenced.kind()).isEqualTo(StoreFailure.Kind.FENCED);
            SQLException emptying = catchThrowableOfType(
                    SQLException.class,
                    () -> database.ask("SELECT prepare_segments(0, " + ring.epoch + ", " + OneTopic.SEGMENT + ")"));
            assertThat(emptying.getSQLState()).isEqualTo("RT015");
            assertThat(successor.recover().next()).isEqualTo(OneTopic.SEGMENT + 10);
        }
    }

    @Test
    void aSegmentAboveTheGateIsNeverEmptied() throws Exception {
        for (int i = 0; i < 7; i++) {
            ring.publish(OneTopic.SEGMENT);
        }
        database.ask("SELECT prepare_segments(0, " + ring.epoch + ", " + ring.next + ")");
        assertThat(database.ask("SELECT count(*) FROM slot")).isEqualTo(String.valueOf(ring.next));
    }

    @Test
    void aFlushThatFindsNoSegmentHasOneMade() throws Exception {
        database.execute("UPDATE segment SET ordinal = NULL WHERE ordinal > 0");
        ring.publish(2 * OneTopic.SEGMENT + 1);
        assertThat(ring.recover().next()).isEqualTo(2 * OneTopic.SEGMENT + 1);
    }

    @Test
    void fullSegmentsAreReadByTheirIndex() throws Exception {
        for (int i = 0; i < 3; i++) {
            ring.publish(OneTopic.SEGMENT);
        }
        ring.settle(0);
        ring.store.reclaim(ring.epoch, 0, OneTopic.SEGMENT, 0);
        assertThat(database.ask("SELECT count(*) FROM segment WHERE summarized"))
                .isEqualTo("2");
        long[] wanted = {OneTopic.SEGMENT, OneTopic.SEGMENT + 3, 3L * OneTopic.SEGMENT - 1};
        assertThat(ring.store.readRing(wanted))
                .extracting(m -> m.sequence())
                .containsExactly(wanted[0], wanted[1], wanted[2]);
    }

    /** As pg_dump does: one snapshot, and a lock on every table that is there. */
    private long holdAsADumpDoes(Connection reader) throws SQLException {
        reader.setAutoCommit(false);
        reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = reader.createStatement()) {
            statement.execute("LOCK TABLE slot, settlement IN ACCESS SHARE MODE");
        }
        return count(reader);
    }

    private static long count(Connection reader) throws SQLException {
        try (Statement statement = reader.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM slot")) {
            row.next();
            return row.getLong(1);
        }
    }

    private long size() throws SQLException {
        return Long.parseLong(database.ask("SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
                + " WHERE relnamespace = 'ringtable'::regnamespace AND relkind = 'r'"));
    }
}
