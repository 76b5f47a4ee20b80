package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.ShardWriter;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs every verb that writes the ring. Thread: the holder of the store's write lock. */
final class SqlserverWriter implements ShardWriter {
    private final SqlserverSession session;
    private final SqlserverOwnership ownership;
    private final SqlserverFlush flush;
    private final SqlserverCatalog catalog;
    private final SqlserverRecovery recovery;

    SqlserverWriter(SqlserverSession session) {
        this.session = session;
        this.ownership = new SqlserverOwnership(session);
        this.flush = new SqlserverFlush(session);
        this.catalog = new SqlserverCatalog(session);
        this.recovery = new SqlserverRecovery(session);
    }

    @Override
    public Ownership acquire(String nodeId, String description, Duration lease) throws SQLException {
        return ownership.acquire(nodeId, description, lease);
    }

    @Override
    public Optional<Ownership.HeldBy> heldElsewhere(String nodeId) throws SQLException {
        return ownership.heldElsewhere(nodeId);
    }

    /** Lays the ring in portions, a transaction each: after a broken start the next one goes on where it stopped. */
    @Override
    public void lay(long epoch, RingGeometry geometry) throws SQLException {
        PreparedStatement call = session.ofShard(SqlserverStatement.LAY_RING, epoch);
        call.setInt(3, geometry.capacity());
        call.setInt(4, SqlserverDialect.SLOT_BYTES);
        while (SqlserverSession.all(call, row -> row.getInt(1)).get(0) > 0) {
            // the next portion
        }
    }

    @Override
    public void checkOwner(long epoch) throws SQLException {
        recovery.shard(epoch);
    }

    @Override
    public ShardState recover(long epoch, Consumer<RingRow> ringRows) throws SQLException {
        return recovery.run(epoch, ringRows);
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
        return SqlserverSession.all(
                session.ofShard(SqlserverStatement.RECLAIM, epoch, gate, newGate, owedExpected), Rows::backlogSummary);
    }

    @Override
    public BacklogSummary discard(long epoch, long addressId, long fromSequence, long toSequence) throws SQLException {
        List<BacklogSummary> left = SqlserverSession.all(
                session.ofShard(SqlserverStatement.DISCARD, epoch, addressId, fromSequence, toSequence),
                Rows::backlogSummary);
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
