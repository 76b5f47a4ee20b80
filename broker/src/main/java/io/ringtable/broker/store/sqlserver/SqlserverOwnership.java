package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.Ownership;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Takes the owner row. Thread: the holder of the store's write lock. */
final class SqlserverOwnership {
    private final SqlserverSession session;

    SqlserverOwnership(SqlserverSession session) {
        this.session = session;
    }

    /**
     * Takes the shard. Two nodes that meet at the very first start may both try to make the row: the second one asks
     * again.
     */
    Ownership acquire(String nodeId, String description, Duration lease) throws SQLException {
        try {
            return ask(nodeId, description, lease);
        } catch (SQLException e) {
            if (e.getErrorCode() != SqlserverErrors.DUPLICATE_KEY) {
                throw e;
            }
            return ask(nodeId, description, lease);
        }
    }

    /** Returns another node that holds another shard of the database. */
    Optional<Ownership.HeldBy> heldElsewhere(String nodeId) throws SQLException {
        PreparedStatement select = session.ofShard(SqlserverStatement.ACQUIRE_ELSEWHERE);
        select.setString(2, nodeId);
        return SqlserverSession.all(
                        select, row -> new Ownership.HeldBy(row.getString(1), row.getLong(2), row.getLong(3)))
                .stream()
                .findFirst();
    }

    private Ownership ask(String nodeId, String description, Duration lease) throws SQLException {
        PreparedStatement call = session.ofShard(SqlserverStatement.ACQUIRE);
        call.setString(2, nodeId);
        call.setString(3, description);
        call.setLong(4, lease.toMillis());
        try (ResultSet answer = call.executeQuery()) {
            answer.next();
            long epoch = answer.getLong(1);
            return answer.wasNull()
                    ? new Ownership.HeldBy(answer.getString(2), answer.getLong(3), answer.getLong(4))
                    : new Ownership.Owned(epoch, answer.getLong(3), lease);
        }
    }
}
