package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.StoreFailure.Kind;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties the segments that the gate has passed, each in a call of its own after the gate is durable.
 * <p>
 * Thread: the holder of the store's write lock. Failure: the next call does what this one could not. A flush that
 * finds no segment asks once more before it fails.
 */
final class PostgresqlSegments {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresqlSegments.class);

    private final PostgresqlSession session;
    private final PostgresqlDialect dialect;

    PostgresqlSegments(PostgresqlSession session, PostgresqlDialect dialect) {
        this.session = session;
        this.dialect = dialect;
    }

    /**
     * Empties the segments that the next claims need.
     *
     * @param next no sequence at or above it has been claimed
     */
    void prepare(long epoch, long next) throws SQLException {
        boolean more = true;
        while (more) {
            PreparedStatement call = session.ofShard(PostgresqlStatement.PREPARE_SEGMENTS, epoch, next);
            try (ResultSet row = call.executeQuery()) {
                row.next();
                more = row.getBoolean(1);
            }
        }
    }

    /** Empties segments ahead, for a verb that has done its work whether or not this succeeds. */
    void prepareAhead(long epoch, long next) throws SQLException {
        try {
            prepare(epoch, next);
        } catch (SQLException e) {
            Kind kind = dialect.classify(e);
            if (kind == Kind.UNAVAILABLE) {
                throw e;
            }
            LOG.warn("RT-3033 no segment could be prepared ahead; the next reclaim tries again: {}", e.getMessage());
        }
    }
}
