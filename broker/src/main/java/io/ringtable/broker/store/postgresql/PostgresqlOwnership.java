package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.Ownership;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Takes the owner row. Works on {@code shard} and {@code lease} alone, with plain statements: their shape is the same in
 * every version of the schema.
 * <p>
 * Thread: whoever holds the store's write lock.
 */
final class PostgresqlOwnership {
    private final PostgresqlSession session;

    PostgresqlOwnership(PostgresqlSession session) {
        this.session = session;
    }

    Ownership acquire(String nodeId, String description, Duration lease) throws SQLException {
        Optional<Ownership.HeldBy> holder = holder(nodeId); // a stand-by that asks again and again locks nothing
        if (holder.isPresent()) {
            return holder.get();
        }
        return session.transaction(() -> take(nodeId, description, lease));
    }

    private Ownership take(String nodeId, String description, Duration lease) throws SQLException {
        session.ofShard(PostgresqlStatement.ACQUIRE_CREATE).executeUpdate();
        PostgresqlSession.call(session.ofShard(PostgresqlStatement.ACQUIRE_LOCK));
        PostgresqlSession.call(session.ofShard(PostgresqlStatement.ACQUIRE_LOCK_LEASE));
        Optional<Ownership.HeldBy> holder = holder(nodeId); // somebody may have been quicker
        if (holder.isPresent()) {
            return holder.get();
        }
        long epoch;
        try (ResultSet row = session.ofShard(PostgresqlStatement.ACQUIRE_EPOCH).executeQuery()) {
            row.next();
            epoch = row.getLong(1);
        }
        PreparedStatement upsert = session.ofShard(PostgresqlStatement.ACQUIRE_LEASE, epoch);
        upsert.setString(3, nodeId);
        upsert.setString(4, description);
        upsert.setLong(5, lease.toMillis());
        PostgresqlSession.expectOne(PostgresqlStatement.ACQUIRE_LEASE, upsert.executeUpdate());
        return new Ownership.Owned(epoch);
    }

    /** Another node whose lease still runs. */
    private Optional<Ownership.HeldBy> holder(String nodeId) throws SQLException {
        try (ResultSet row = session.ofShard(PostgresqlStatement.ACQUIRE_FIND).executeQuery()) {
            if (!row.next() || row.getString(1).equals(nodeId) || row.getLong(4) <= 0) {
                return Optional.empty();
            }
            return Optional.of(new Ownership.HeldBy(row.getString(2), row.getLong(3), row.getLong(4)));
        }
    }
}
