package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.store.RingCrossings.Crossing;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.jdbc.JdbcRingStore;
import io.ringtable.broker.store.jdbc.ShardReader;
import io.ringtable.broker.store.jdbc.SqlAction;
import io.ringtable.broker.store.jdbc.SqlWork;
import io.ringtable.broker.store.jdbc.StoreErrors;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.node.NodeTable;
import java.sql.Connection;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Stores a shard in one file that one process holds. All writes take turns on the one writing connection, so that its
 * page cache stays valid: a write by any other connection would empty it.
 */
final class SqliteRingStore extends JdbcRingStore<SqliteWriter> {
    private final SqliteDialect dialect;
    private final SqliteFile file;
    private final SqliteCheckpoints checkpoints;
    private final SqliteNodeTable nodes;

    SqliteRingStore(StoreSettings settings, SqliteDialect dialect, SqliteFile file) {
        super(settings, dialect);
        this.dialect = dialect;
        this.file = file;
        this.checkpoints = SqliteCheckpoints.start(threadName(), dialect, file, writing(), counters());
        this.nodes = new SqliteNodeTable(new NodeAccess(), dialect.statements(), dialect.place(), shardId());
    }

    /** Lets nodes be read beside the writer, and be written by it. */
    private final class NodeAccess implements SqliteNodeTable.Access {
        @Override
        public <T> T read(SqlWork<Connection, T> work) {
            return pooled("nodes", work);
        }

        @Override
        public void write(SqlAction<SqliteWriter> work) {
            writeOnly("nodes", work);
        }
    }

    @Override
    public NodeTable nodes() {
        return nodes;
    }

    /** Returns the name of the checkpoint thread, the same as ever in a broker that has one shard. */
    private String threadName() {
        return shardId() == 0 ? "sqlite-checkpoint" : "sqlite-checkpoint-" + shardId();
    }

    @Override
    protected SqliteWriter writer(Connection connection) {
        return new SqliteWriter(
                new SqliteTransaction(connection, dialect.statements(), checkpoints::written, counters()),
                file.path(),
                shardId());
    }

    @Override
    protected ShardReader reader(Connection connection) {
        return new SqliteReader(connection, dialect.statements());
    }

    /** Checks the epoch and writes nothing: the lock of the file is the lease. */
    @Override
    public void renew(long epoch) {
        long stored = pooled("renew", connection -> new SqliteReader(connection, dialect.statements()).epoch());
        if (stored != epoch) {
            throw StoreErrors.fenced(epoch, stored);
        }
    }

    /** Checks the epoch and does no more: the file stays this process's until {@link #close}. */
    @Override
    public void resign(long epoch) {
        renew(epoch);
    }

    @Override
    protected DirectoryStore.Answer alterDirectory(List<HomeChange> changes) {
        return write("alterDirectory", w -> w.alterDirectory(changes));
    }

    @Override
    public void stage(long epoch, long bodyId, byte[] body) {
        int chunks = Math.max(1, (body.length + SqliteWriter.CHUNK_BYTES - 1) / SqliteWriter.CHUNK_BYTES);
        for (int i = 0; i < chunks; i++) {
            int chunk = i;
            int from = chunk * SqliteWriter.CHUNK_BYTES;
            byte[] data = Arrays.copyOfRange(body, from, Math.min(body.length, from + SqliteWriter.CHUNK_BYTES));
            writeOnly("stage", w -> w.stage(epoch, bodyId, chunk, chunks, data));
        }
    }

    @Override
    public void unstage(long epoch, long[] bodyIds) {
        if (bodyIds.length > 0) {
            writeOnly("unstage", w -> w.unstage(epoch, bodyIds));
        }
    }

    /** {@inheritDoc} A file has no inbox, so there is nothing to pass on. */
    @Override
    public void passOn(long epoch, int home, List<Long> inboxIds) {
        throw new IllegalStateException("a SQLite file has no inbox, and rows " + inboxIds + " are to leave it");
    }

    @Override
    public void keepPlacements(List<Placed> rows) {
        throw alone();
    }

    @Override
    public Crossing openCrossing(long epoch, int origin) {
        throw alone();
    }

    @Override
    public void takeOver(long epoch, int origin, long number, List<InboxMessage> messages) {
        throw alone();
    }

    @Override
    public void removeTakenOver(List<Long> inboxIds) {
        throw alone();
    }

    private static IllegalStateException alone() {
        return new IllegalStateException("a SQLite file has no inbox, and knows no other place of the broker");
    }

    /** Counts the files beside that of shard 0. */
    @Override
    public int shards() {
        return file.shards();
    }

    /** Keeps no key: no application reaches the file, so none settles in it. */
    @Override
    public Optional<DeliveryKey> keepDeliveryKey(DeliveryKey proposed) {
        return Optional.empty();
    }

    /** Closes the store; the last connection copies the rest of the log into the file. */
    @Override
    public void close() {
        checkpoints.close();
        super.close();
        file.close();
    }
}
