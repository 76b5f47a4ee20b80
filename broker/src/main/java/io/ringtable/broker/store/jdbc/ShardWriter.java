package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs the verbs of {@link RingStore} that write the ring, on the one writing connection, with the statements that it
 * keeps prepared. One method is one whole transaction, commit included. A method that throws may leave its transaction
 * open; {@link #rollback} follows.
 * <p>
 * Thread: the holder of the store's write lock. Failure: {@link SQLException} for what the driver says, {@link
 * io.ringtable.broker.store.StoreFailure} for what the statements' counts say.
 */
public interface ShardWriter extends AutoCloseable {

    /**
     * Takes the owner row, or makes it if there is none. The call works on the owner row alone, whatever else the
     * schema is.
     */
    Ownership acquire(String nodeId, String description, Duration lease) throws SQLException;

    /**
     * Returns another node that holds another shard of the same database, the one for longest that will. The call works
     * on the leases alone, as {@link #acquire} does. Empty if no other shard lies in the database.
     */
    default Optional<Ownership.HeldBy> heldElsewhere(String nodeId) throws SQLException {
        return Optional.empty();
    }

    /** Lays the ring of a shard that has none; refuses another capacity as UNSUPPORTED. */
    void lay(long epoch, RingGeometry geometry) throws SQLException;

    /** Fails as fenced unless the shard has this epoch. */
    void checkOwner(long epoch) throws SQLException;

    ShardState recover(long epoch, Consumer<RingRow> ringRows) throws SQLException;

    void alter(long epoch, List<CatalogChange> changes) throws SQLException;

    void flush(Flush flush) throws SQLException;

    List<ShardState.BacklogSummary> reclaim(long epoch, long gate, long newGate, long owedExpected) throws SQLException;

    ShardState.BacklogSummary discard(long epoch, long addressId, long fromSequence, long toSequence)
            throws SQLException;

    /** Ends the transaction that a failed verb may have left open; harmless if there is none. */
    void rollback() throws SQLException;

    /** Closes the statements and the connection. */
    @Override
    void close() throws SQLException;
}
