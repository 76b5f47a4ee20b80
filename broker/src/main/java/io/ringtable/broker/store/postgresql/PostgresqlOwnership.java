package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.Ownership;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Takes the owner row. The class works on {@code shard} and {@code lease} alone, with plain statements: the shape of
 * both is the same in every version of the schema.
 * <p>
 * Thread: the holder of the store's write lock.
 */
final class PostgresqlOwnership {
    private final PostgresqlSession session;

    PostgresqlOwnership(PostgresqlSession session) {
        this.session = session;
    }

    Ownership acquire(String nodeId, String description, Duration lease) throws SQLException {
        Optional<Holder> holder = holder(nodeId); // a stand-by that asks again and again locks nothing
        if (holder.isPresent()) {
            return holder.get().left() > holder.get().lease()
                    ? capped(holder.get())
                    : holder.get().held();
        }
        return session.transaction(() -> take(nodeId, description, lease));
    }

    /** Returns another node that holds another shard of the database. */
    Optional<Ownership.HeldBy> heldElsewhere(String nodeId) throws SQLException {
        PreparedStatement select = session.ofShard(PostgresqlStatement.ACQUIRE_ELSEWHERE);
        select.setString(2, nodeId);
        return PostgresqlSession.all(
                        select, row -> new Ownership.HeldBy(row.getString(1), row.getLong(2), row.getLong(3)))
                .stream()
                .findFirst();
    }

    private Ownership take(String nodeId, String description, Duration lease) throws SQLException {
        session.ofShard(PostgresqlStatement.ACQUIRE_CREATE).executeUpdate();
        long previous = lock();
        PostgresqlSession.call(session.ofShard(PostgresqlStatement.ACQUIRE_LOCK_LEASE));
        Optional<Holder> holder = holder(nodeId); // another node may have been quicker
        if (holder.isPresent()) {
            return holder.get().held();
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
        return new Ownership.Owned(epoch, previous, lease);
    }

    /** Locks the owner row, and returns the epoch of the shard. */
    private long lock() throws SQLException {
        try (ResultSet row = session.ofShard(PostgresqlStatement.ACQUIRE_LOCK).executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /**
     * Shortens the lease to its own length, since the clock of the server was set back after the owner's last renewal.
     */
    private Ownership.HeldBy capped(Holder holder) throws SQLException {
        session.ofShard(PostgresqlStatement.ACQUIRE_CAP_LEASE).executeUpdate();
        return new Ownership.HeldBy(holder.node(), holder.epoch(), holder.lease());
    }

    /** Describes the node that holds the shard; times are in ms. */
    private record Holder(String node, long epoch, long left, long lease) {
        Ownership.HeldBy held() {
            return new Ownership.HeldBy(node, epoch, left);
        }
    }

    /** Returns another node whose lease still runs. */
    private Optional<Holder> holder(String nodeId) throws SQLException {
        try (ResultSet row = session.ofShard(PostgresqlStatement.ACQUIRE_FIND).executeQuery()) {
            if (!row.next() || row.getString(1).equals(nodeId) || row.getLong(4) <= 0) {
                return Optional.empty();
            }
            return Optional.of(new Holder(row.getString(2), row.getLong(3), row.getLong(4), row.getLong(5)));
        }
    }
}
