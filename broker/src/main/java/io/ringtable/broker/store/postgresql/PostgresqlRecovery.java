package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.SqlWork;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a shard back, segment by segment from the gate onwards, while the owner row is locked. The read locks no
 * segment of another shard, whose owner could not empty it meanwhile.
 * <p>
 * Thread: any that holds the store's write lock.
 */
final class PostgresqlRecovery {
    private static final int ROWS_AT_A_TIME = 4096; // a row without its body is about 100 bytes

    private final PostgresqlSession session;

    PostgresqlRecovery(PostgresqlSession session) {
        this.session = session;
    }

    ShardState run(long epoch, Consumer<RingRow> ringRows) throws SQLException {
        return session.transaction(() -> {
            PostgresqlSession.call(session.ofShard(PostgresqlStatement.CHECK_OWNER, epoch));
            PostgresqlSession.call(session.prepared(PostgresqlStatement.RECOVER_PLANS));
            try (ResultSet shard =
                    session.ofShard(PostgresqlStatement.RECOVER_SHARD).executeQuery()) {
                shard.next();
                long gate = shard.getLong(3);
                return new ShardState(
                        epoch,
                        shard.getInt(2),
                        gate,
                        ring(gate, shard.getInt(2), ringRows),
                        shard.getLong(4),
                        shard.getLong(5),
                        all(PostgresqlStatement.RECOVER_ADDRESSES, Rows::address),
                        all(PostgresqlStatement.RECOVER_SUBSCRIPTIONS, Rows::subscription),
                        PostgresqlSession.all(
                                session.ofShard(PostgresqlStatement.RECOVER_SETTLEMENTS, gate), Rows::settlement),
                        all(PostgresqlStatement.RECOVER_REDELIVERIES, Rows::redelivery),
                        all(PostgresqlStatement.RECOVER_BACKLOG, Rows::backlogSummary),
                        all(PostgresqlStatement.RECOVER_PRODUCERS, Rows::producer),
                        all(PostgresqlStatement.RECOVER_DUPLICATE_IDS, Rows::duplicateId),
                        all(PostgresqlStatement.RECOVER_CLIENT_OWNERS, Rows::clientOwner),
                        all(PostgresqlStatement.RECOVER_REPLAYS, Rows::replay),
                        all(PostgresqlStatement.RECOVER_SETTINGS, Rows::setting),
                        all(PostgresqlStatement.RECOVER_LOGINS, Rows::login));
            }
        });
    }

    /** Returns the sequence after the last one. Every sequence from the gate on stands in the ring exactly once. */
    private long ring(long gate, int capacity, Consumer<RingRow> ringRows) throws SQLException {
        long next = gate;
        for (int segment : all(PostgresqlStatement.RECOVER_SEGMENTS, row -> row.getInt(1))) {
            PreparedStatement select = session.bind(PostgresqlStatement.RECOVER_RING, segment, gate);
            select.setFetchSize(ROWS_AT_A_TIME);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    if (rows.getLong(1) != next || next >= gate + capacity) {
                        throw StoreErrors.corrupt("segment " + segment + " holds sequence " + rows.getLong(1)
                                + " where " + next + " must follow, with gate " + gate + " and capacity " + capacity);
                    }
                    ringRows.accept(Rows.ringRow(rows));
                    next++;
                }
            }
        }
        return next;
    }

    private <T> List<T> all(PostgresqlStatement statement, SqlWork<ResultSet, T> row) throws SQLException {
        return PostgresqlSession.all(session.ofShard(statement), row);
    }
}
