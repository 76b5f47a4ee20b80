package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.SqlWork;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a shard back, without holding a lock. The ring is read from the slot of the gate onwards for as long as each slot
 * holds the sequence that follows; where that ends every slot must hold the lap before. That the epoch is still the same at
 * the end says that nobody else has written meanwhile.
 * <p>
 * Thread: whoever holds the store's write lock, so that this node writes nothing either.
 */
final class SqlserverRecovery {
    private static final int SLOTS_AT_A_TIME = 8192; // a call that stays far below the time-out of statements

    private final SqlserverSession session;

    SqlserverRecovery(SqlserverSession session) {
        this.session = session;
    }

    ShardState run(long epoch, Consumer<RingRow> ringRows) throws SQLException {
        ShardState before = shard(epoch);
        ShardState state = new ShardState(
                epoch,
                before.capacity(),
                before.gate(),
                ring(before.gate(), before.capacity(), ringRows),
                before.dispatchBound(),
                before.nextId(),
                all(SqlserverStatement.RECOVER_ADDRESSES, Rows::address),
                all(SqlserverStatement.RECOVER_SUBSCRIPTIONS, Rows::subscription),
                all(SqlserverStatement.RECOVER_SETTLEMENTS, Rows::settlement),
                all(SqlserverStatement.RECOVER_REDELIVERIES, Rows::redelivery),
                all(SqlserverStatement.RECOVER_BACKLOG, Rows::backlogSummary),
                all(SqlserverStatement.RECOVER_PRODUCERS, Rows::producer),
                all(SqlserverStatement.RECOVER_DUPLICATE_IDS, Rows::duplicateId),
                all(SqlserverStatement.RECOVER_CLIENT_OWNERS, Rows::clientOwner),
                all(SqlserverStatement.RECOVER_REPLAYS, Rows::replay));
        shard(epoch);
        return state;
    }

    /** The owner row, without what has to be read apart; fenced if the epoch is another one. */
    ShardState shard(long epoch) throws SQLException {
        List<ShardState> rows = SqlserverSession.all(
                session.ofShard(SqlserverStatement.RECOVER_SHARD, epoch),
                row -> new ShardState(
                        row.getLong(1),
                        row.getInt(2),
                        row.getLong(3),
                        row.getLong(3),
                        row.getLong(4),
                        row.getLong(5),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of()));
        if (rows.isEmpty()) {
            throw StoreErrors.fencedByAnother(epoch); // between the two statements of the procedure
        }
        return rows.get(0);
    }

    private long ring(long gate, int capacity, Consumer<RingRow> ringRows) throws SQLException {
        int turn = (int) (gate % capacity);
        long next = walk(gate, turn, capacity, capacity, ringRows);
        if (next == gate + capacity - turn) {
            next = walk(next, 0, turn, capacity, ringRows);
        }
        try (ResultSet row = session.ofShard(SqlserverStatement.RECOVER_HIGHEST).executeQuery()) {
            row.next();
            if (row.getLong(1) != next - 1 || row.getLong(2) != capacity) {
                throw StoreErrors.corrupt("the ring has " + row.getLong(2) + " slots up to sequence " + row.getLong(1)
                        + " where its capacity is " + capacity + " and its messages end with " + (next - 1));
            }
        }
        return next;
    }

    /** The sequence after the last one that stands in its place from the slot on. */
    private long walk(long next, int fromSlot, int toSlot, int capacity, Consumer<RingRow> ringRows)
            throws SQLException {
        long expected = next;
        for (int from = fromSlot; from < toSlot; from += SLOTS_AT_A_TIME) {
            int to = Math.min(toSlot, from + SLOTS_AT_A_TIME);
            try (ResultSet rows =
                    session.ofShard(SqlserverStatement.RECOVER_RING, from, to).executeQuery()) {
                while (rows.next()) {
                    long sequence = rows.getLong(1);
                    if (sequence == expected - capacity) {
                        return expected;
                    }
                    if (sequence != expected || rows.getLong(13) != expected % capacity) {
                        throw StoreErrors.corrupt("slot " + rows.getLong(13) + " holds sequence " + sequence + " where "
                                + expected + " or its lap before must stand");
                    }
                    ringRows.accept(Rows.ringRow(rows));
                    expected++;
                }
            }
        }
        return expected;
    }

    private <T> List<T> all(SqlserverStatement statement, SqlWork<ResultSet, T> row) throws SQLException {
        return SqlserverSession.all(session.ofShard(statement), row);
    }
}
