package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.Ownership;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Takes the owner row. Thread: whoever holds the store's write lock. */
final class SqlserverOwnership {
    private final SqlserverSession session;

    SqlserverOwnership(SqlserverSession session) {
        this.session = session;
    }

    /** Two nodes that meet at the first start of all may both want to make the row: the second one asks again. */
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
