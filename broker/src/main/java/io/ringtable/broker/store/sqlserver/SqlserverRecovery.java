package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.SlotWalk;
import io.ringtable.broker.store.jdbc.SqlWork;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a shard back without holding a lock. An unchanged epoch at the end proves that no other node has written
 * meanwhile.
 * <p>
 * Thread: any that holds the store's write lock, so that this node writes nothing either.
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
                all(SqlserverStatement.RECOVER_REPLAYS, Rows::replay),
                all(SqlserverStatement.RECOVER_SETTINGS, Rows::setting),
                all(SqlserverStatement.RECOVER_LOGINS, Rows::login));
        shard(epoch);
        return state;
    }

    /** Reads the owner row, without the lists that need reads of their own; fenced if the epoch is another one. */
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
                        List.of(),
                        List.of(),
                        List.of()));
        if (rows.isEmpty()) {
            throw StoreErrors.fencedByAnother(epoch); // between the two statements of the procedure
        }
        return rows.get(0);
    }

    private long ring(long gate, int capacity, Consumer<RingRow> ringRows) throws SQLException {
        return new SlotWalk(
                        capacity,
                        SLOTS_AT_A_TIME,
                        (from, to) -> session.ofShard(SqlserverStatement.RECOVER_RING, from, to)
                                .executeQuery(),
                        () -> session.ofShard(SqlserverStatement.RECOVER_HIGHEST)
                                .executeQuery(),
                        ringRows)
                .from(gate);
    }

    private <T> List<T> all(SqlserverStatement statement, SqlWork<ResultSet, T> row) throws SQLException {
        return SqlserverSession.all(session.ofShard(statement), row);
    }
}
