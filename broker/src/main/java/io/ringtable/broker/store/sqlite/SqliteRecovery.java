package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.SqlWork;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a shard back. The ring is read from the slot of the gate onwards for as long as each slot holds the sequence
 * that follows; where that ends every slot must hold the lap before.
 * <p>
 * Thread: whoever holds the store's write lock, so that the shard stands still meanwhile.
 */
final class SqliteRecovery {
    private final SqliteTransaction transaction;

    SqliteRecovery(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    ShardState run(long epoch, Consumer<RingRow> ringRows) throws SQLException {
        return transaction.asOwner(epoch, owner -> {
            long next = ring(owner.gate(), owner.capacity(), ringRows);
            try (ResultSet shard =
                    transaction.prepared(SqliteStatement.RECOVER_SHARD).executeQuery()) {
                shard.next();
                return new ShardState(
                        epoch,
                        owner.capacity(),
                        owner.gate(),
                        next,
                        shard.getLong(4),
                        shard.getLong(5),
                        all(SqliteStatement.RECOVER_ADDRESSES, Rows::address),
                        all(SqliteStatement.RECOVER_SUBSCRIPTIONS, Rows::subscription),
                        all(SqliteStatement.RECOVER_SETTLEMENTS, Rows::settlement),
                        all(SqliteStatement.RECOVER_REDELIVERIES, Rows::redelivery),
                        all(SqliteStatement.RECOVER_BACKLOG, Rows::backlogSummary),
                        all(SqliteStatement.RECOVER_PRODUCERS, Rows::producer),
                        all(SqliteStatement.RECOVER_DUPLICATE_IDS, Rows::duplicateId),
                        all(SqliteStatement.RECOVER_CLIENT_OWNERS, Rows::clientOwner),
                        all(SqliteStatement.RECOVER_REPLAYS, Rows::replay));
            }
        });
    }

    private long ring(long gate, int capacity, Consumer<RingRow> ringRows) throws SQLException {
        int turn = (int) (gate % capacity);
        long next = walk(gate, turn, capacity, capacity, ringRows);
        if (next == gate + capacity - turn) {
            next = walk(next, 0, turn, capacity, ringRows);
        }
        try (ResultSet row =
                transaction.prepared(SqliteStatement.RECOVER_HIGHEST).executeQuery()) {
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
        try (ResultSet rows =
                transaction.bind(SqliteStatement.RECOVER_RING, fromSlot, toSlot).executeQuery()) {
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
        return expected;
    }

    private <T> List<T> all(SqliteStatement statement, SqlWork<ResultSet, T> row) throws SQLException {
        List<T> all = new ArrayList<>();
        try (ResultSet rows = transaction.prepared(statement).executeQuery()) {
            while (rows.next()) {
                all.add(row.on(rows));
            }
        }
        return all;
    }
}
