package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.SlotWalk;
import io.ringtable.broker.store.jdbc.SqlWork;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a shard back from the file.
 * <p>
 * Thread: any that holds the store's write lock, so that the shard stands still meanwhile.
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
                        all(SqliteStatement.RECOVER_REPLAYS, Rows::replay),
                        all(SqliteStatement.RECOVER_SETTINGS, Rows::setting),
                        all(SqliteStatement.RECOVER_LOGINS, Rows::login));
            }
        });
    }

    private long ring(long gate, int capacity, Consumer<RingRow> ringRows) throws SQLException {
        return new SlotWalk(
                        capacity,
                        capacity,
                        (from, to) -> transaction
                                .bind(SqliteStatement.RECOVER_RING, from, to)
                                .executeQuery(),
                        () -> transaction
                                .prepared(SqliteStatement.RECOVER_HIGHEST)
                                .executeQuery(),
                        ringRows)
                .from(gate);
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
