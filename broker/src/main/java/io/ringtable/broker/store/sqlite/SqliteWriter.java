package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.jdbc.ServerNodeTable;
import io.ringtable.broker.store.jdbc.ShardWriter;
import io.ringtable.broker.store.jdbc.StoreErrors;
import io.ringtable.broker.store.node.NodeTable;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Runs every verb that writes the file. Thread: any that holds the store's write lock. */
final class SqliteWriter implements ShardWriter {
    static final int CHUNK_BYTES = 1 << 20;

    private final SqliteTransaction transaction;
    private final Path file;
    private final int shardId;
    private final SqliteFlush flush;
    private final SqliteReclaim reclaim;
    private final SqliteDiscard discard;
    private final SqliteCatalog catalog;
    private final SqliteRecovery recovery;
    private final SqliteDirectory directory;

    /** @param file for messages */
    SqliteWriter(SqliteTransaction transaction, Path file, int shardId) {
        this.transaction = transaction;
        this.file = file;
        this.shardId = shardId;
        SqliteGrowth growth = new SqliteGrowth(transaction);
        this.flush = new SqliteFlush(transaction, growth);
        this.reclaim = new SqliteReclaim(transaction, growth);
        this.discard = new SqliteDiscard(transaction);
        this.catalog = new SqliteCatalog(transaction);
        this.recovery = new SqliteRecovery(transaction);
        this.directory = new SqliteDirectory(transaction);
    }

    /** Grants ownership always: the lock of the file, held since the file was opened, keeps every other process out. */
    @Override
    public Ownership acquire(String nodeId, String description, Duration lease) throws SQLException {
        return transaction.run(() -> {
            long previous = transaction.epoch();
            PreparedStatement upsert = transaction.prepared(SqliteStatement.ACQUIRE_OWNER);
            upsert.setString(1, nodeId);
            upsert.setString(2, description);
            try (ResultSet row = upsert.executeQuery()) {
                row.next();
                refuseAnotherShards(row.getInt(2), row.getLong(3));
                return new Ownership.Owned(row.getLong(1), previous, null);
            }
        });
    }

    /** Refuses a file that was given another shard's name. @param capacity 0 = nothing has been laid in it yet */
    private void refuseAnotherShards(int capacity, long nextId) {
        if (capacity > 0 && !ShardIds.isNext(shardId, nextId)) {
            throw StoreErrors.unsupported(
                    "RT-3071",
                    "'" + file + "' holds shard " + ShardIds.shardOf(nextId) + " and was opened for shard " + shardId
                            + ": give each file of a shard the name that it had");
        }
    }

    @Override
    public void lay(long epoch, RingGeometry geometry) throws SQLException {
        transaction.asOwner(epoch, owner -> {
            if (owner.capacity() == 0) {
                transaction.update(SqliteStatement.LAY_RING_SLOTS, geometry.capacity(), SqliteGrowth.LAID_BODY_BYTES);
                transaction.updateOne(SqliteStatement.LAY_RING_SHARD, geometry.capacity(), ShardIds.first(shardId));
            } else if (owner.capacity() != geometry.capacity()) {
                throw StoreErrors.unsupported(
                        "RT-3006",
                        "the stored ring has " + owner.capacity() + " slots, ringtable.ring.capacity asks for "
                                + geometry.capacity() + ": set ringtable.ring.capacity=" + owner.capacity());
            }
            return null;
        });
    }

    @Override
    public void checkOwner(long epoch) throws SQLException {
        transaction.owner(epoch);
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
    public List<ShardState.BacklogSummary> reclaim(long epoch, long gate, long newGate, long owedExpected)
            throws SQLException {
        return reclaim.run(epoch, gate, newGate, owedExpected);
    }

    @Override
    public ShardState.BacklogSummary discard(long epoch, long addressId, long fromSequence, long toSequence)
            throws SQLException {
        return discard.run(epoch, addressId, fromSequence, toSequence);
    }

    /** Stages one chunk in a transaction of its own: a flush waits for a MiB at most. */
    void stage(long epoch, long bodyId, int chunk, int chunks, byte[] data) throws SQLException {
        transaction.asOwner(epoch, owner -> {
            PreparedStatement insert = transaction.bind(SqliteStatement.STAGE, bodyId, chunk, chunks);
            insert.setBytes(4, data);
            SqliteTransaction.expectOne(SqliteStatement.STAGE, insert.executeUpdate());
            return null;
        });
    }

    void unstage(long epoch, long[] bodyIds) throws SQLException {
        transaction.asOwner(epoch, owner -> {
            for (long bodyId : bodyIds) {
                transaction.update(SqliteStatement.UNSTAGE, bodyId);
            }
            return null;
        });
    }

    DirectoryStore.Answer alterDirectory(List<HomeChange> changes) throws SQLException {
        return directory.alter(changes);
    }

    // ---- nodes, which need no epoch

    void beat(NodeTable.Node node) throws SQLException {
        transaction.run(() -> {
            PreparedStatement upsert = transaction.prepared(SqliteStatement.NODE_BEAT);
            ServerNodeTable.bind(upsert, node);
            SqliteTransaction.expectOne(SqliteStatement.NODE_BEAT, upsert.executeUpdate());
            return null;
        });
    }

    /** Lets rows from the future be of now. */
    void capNodes() throws SQLException {
        transaction.run(() -> transaction.update(SqliteStatement.NODE_CAP));
    }

    void forgetNode(String nodeId, String runId) throws SQLException {
        transaction.run(() -> {
            PreparedStatement delete = transaction.prepared(SqliteStatement.NODE_FORGET);
            delete.setString(1, nodeId);
            delete.setString(2, runId);
            return delete.executeUpdate();
        });
    }

    @Override
    public void rollback() throws SQLException {
        transaction.rollback();
    }

    @Override
    public void close() throws SQLException {
        transaction.close();
    }
}
