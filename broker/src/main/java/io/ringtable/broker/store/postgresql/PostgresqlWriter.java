package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.ShardWriter;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs every verb that writes the ring. Thread: the holder of the store's write lock. */
final class PostgresqlWriter implements ShardWriter {
    private final PostgresqlSession session;
    private final PostgresqlSegments segments;
    private final PostgresqlOwnership ownership;
    private final PostgresqlFlush flush;
    private final PostgresqlCatalog catalog;
    private final PostgresqlRecovery recovery;

    PostgresqlWriter(PostgresqlSession session, PostgresqlDialect dialect) {
        this.session = session;
        this.segments = new PostgresqlSegments(session, dialect);
        this.ownership = new PostgresqlOwnership(session);
        this.flush = new PostgresqlFlush(session, segments);
        this.catalog = new PostgresqlCatalog(session);
        this.recovery = new PostgresqlRecovery(session);
    }

    @Override
    public Ownership acquire(String nodeId, String description, Duration lease) throws SQLException {
        flush.next(-1); // another owner may have written in between
        return ownership.acquire(nodeId, description, lease);
    }

    @Override
    public Optional<Ownership.HeldBy> heldElsewhere(String nodeId) throws SQLException {
        return ownership.heldElsewhere(nodeId);
    }

    /** Lays the ring. The call also finishes what an earlier owner left undone in its segments. */
    @Override
    public void lay(long epoch, RingGeometry geometry) throws SQLException {
        PostgresqlSession.call(session.ofShard(PostgresqlStatement.LAY_RING, epoch, geometry.capacity()));
        segments.prepare(epoch, flush.next());
    }

    @Override
    public void checkOwner(long epoch) throws SQLException {
        long held = PostgresqlSession.all(session.ofShard(PostgresqlStatement.RECOVER_SHARD), row -> row.getLong(1))
                .get(0);
        if (held != epoch) {
            throw StoreErrors.fenced(epoch, held);
        }
    }

    @Override
    public ShardState recover(long epoch, Consumer<RingRow> ringRows) throws SQLException {
        ShardState state = recovery.run(epoch, ringRows);
        flush.next(state.next());
        return state;
    }

    @Override
    public void alter(long epoch, List<CatalogChange> changes) throws SQLException {
        catalog.run(epoch, changes);
    }

    @Override
    public void flush(Flush batch) throws SQLException {
        flush.run(batch);
    }

    @Override
    public List<BacklogSummary> reclaim(long epoch, long gate, long newGate, long owedExpected) throws SQLException {
        PreparedStatement call = session.ofShard(PostgresqlStatement.RECLAIM, epoch, gate, newGate, owedExpected);
        List<BacklogSummary> grown = PostgresqlSession.all(call, Rows::backlogSummary);
        segments.prepareAhead(epoch, flush.next());
        return grown;
    }

    @Override
    public BacklogSummary discard(long epoch, long addressId, long fromSequence, long toSequence) throws SQLException {
        PreparedStatement call =
                session.ofShard(PostgresqlStatement.DISCARD, epoch, addressId, fromSequence, toSequence);
        List<BacklogSummary> left = PostgresqlSession.all(call, Rows::backlogSummary);
        return left.isEmpty() ? new BacklogSummary(addressId, 0, 0, 0, 0, 0, 0) : left.get(0);
    }

    @Override
    public void rollback() throws SQLException {
        session.rollback();
    }

    @Override
    public void close() throws SQLException {
        session.close();
    }
}
