package io.ringtable.broker.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingOwnership.Placements;
import io.ringtable.broker.store.RingRow;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoreCounters;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a store on a JDBC database. One connection writes the ring and keeps its statements prepared, a pool serves
 * everything else, and one place gives failures their kind. An engine adds its {@link ShardWriter}, its {@link
 * ShardReader} and the verbs that it runs on either.
 * <p>Longer than others, because it has a method for each verb of the port.
 * <p>
 * Thread: writes pass a fair lock, reads do not. Failure: the next call replaces a lost connection. Whether its last
 * write happened is the caller's question (see {@link StoreFailure.Kind#OUTCOME_UNKNOWN}).
 *
 * @param <W> the engine's writer
 */
public abstract class JdbcRingStore<W extends ShardWriter> implements RingStore {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcRingStore.class);
    private static final Map<String, Object> MIGRATIONS = new ConcurrentHashMap<>(); // a lock for each place

    private final ShardGuard guard;
    private final Dialect dialect;
    private final SchemaMigrations schema;
    private volatile StoreLimits limits; // written by whoever verifies a connection, read by any
    private final StoreCounters counters = new StoreCounters();
    private final HikariDataSource pool;
    private final ReentrantLock writing = new ReentrantLock(true);
    private W writer; // guarded by writing; null until needed, and after its connection was lost
    private boolean closed; // guarded by writing

    /** Connects and verifies engine and schema; changes nothing. */
    protected JdbcRingStore(StoreSettings settings, Dialect dialect) {
        this.guard = new ShardGuard(settings.shardId());
        this.dialect = dialect;
        this.schema = new SchemaMigrations(
                dialect.engine(), dialect.schema(), dialect.migrationDataSource(), dialect.historyRows());
        try (Connection connection = dialect.dataSource().getConnection()) {
            verify(connection);
            schema.check(connection);
        } catch (SQLException e) {
            throw StoreErrors.of(dialect.classify(e), "opening " + dialect.place(), e);
        }
        pool = ReaderPool.open(settings, dialect);
    }

    /** Returns the engine's writer on a fresh connection, which the writer closes with itself. */
    protected abstract W writer(Connection connection) throws SQLException;

    /** Returns the engine's reads on a pooled connection. */
    protected abstract ShardReader reader(Connection connection) throws SQLException;

    /** Looks at what a commit can rely on by now. */
    protected final void verify(Connection connection) throws SQLException {
        limits = dialect.verify(connection);
    }

    /** Returns the number of the shard that the store keeps. */
    protected final int shardId() {
        return guard.shardId();
    }

    @Override
    public final StoreLimits limits() {
        return limits;
    }

    @Override
    public final StoreCounters counters() {
        return counters;
    }

    /** Changes the directory, as {@link DirectoryStore#alter} says. */
    protected abstract DirectoryStore.Answer alterDirectory(List<HomeChange> changes);

    @Override
    public final DirectoryStore directory() {
        return new JdbcDirectory(this::alterDirectory, since -> read("readDirectory", r -> r.readDirectory(since)));
    }

    @Override
    public final boolean prepare() {
        SchemaMigrations.State state = pooled("prepare", schema::check);
        if (state == SchemaMigrations.State.EMPTY) {
            migrate();
        }
        return state != SchemaMigrations.State.OLDER;
    }

    @Override
    public final Ownership acquire(String nodeId, String description, Duration lease, RingGeometry geometry) {
        SchemaMigrations.State state = pooled("acquire", schema::check);
        if (state == SchemaMigrations.State.EMPTY) {
            migrate();
        } else if (state == SchemaMigrations.State.OLDER) {
            Optional<Ownership.HeldBy> elsewhere = onWriter("acquire", false, w -> w.heldElsewhere(nodeId));
            if (elsewhere.isPresent()) {
                return elsewhere.get(); // which runs the procedures that a step would replace
            }
        }
        Ownership ownership = write("acquire", w -> w.acquire(nodeId, description, lease));
        if (ownership instanceof Ownership.Owned owned) {
            if (state == SchemaMigrations.State.OLDER) {
                migrate();
            }
            writeOnly("acquire", w -> w.lay(owned.epoch(), geometry));
        }
        return ownership;
    }

    @Override
    public final Placements placements() {
        return pooled("placements", connection -> {
            ShardReader tables = reader(connection); // each of these tables comes with a step
            List<Integer> held = schema.has(connection, "shard") ? tables.readShards() : List.of();
            return new Placements(
                    Set.copyOf(held), schema.has(connection, "placement") ? tables.readPlacement() : List.of());
        });
    }

    @Override
    public final void checkOwner(long epoch) {
        onWriter("checkOwner", false, w -> {
            w.checkOwner(epoch);
            return null;
        });
    }

    @Override
    public final ShardState recover(long epoch, Consumer<RingRow> ringRows) {
        return guard.checked(onWriter("recover", false, w -> w.recover(epoch, ringRows)));
    }

    @Override
    public final void alter(long epoch, List<CatalogChange> changes) {
        if (changes.size() > 1 && changes.stream().anyMatch(CatalogChange::isMadeAlone)) {
            throw new IllegalArgumentException("one of these is made alone: " + changes);
        }
        guard.checkGiven(changes);
        writeOnly("alter", w -> w.alter(epoch, changes));
    }

    @Override
    public final void flush(Flush flush) {
        writeOnly("flush", w -> w.flush(flush));
    }

    @Override
    public final List<ShardState.BacklogSummary> reclaim(long epoch, long gate, long newGate, long owedExpected) {
        return write("reclaim", w -> w.reclaim(epoch, gate, newGate, owedExpected));
    }

    @Override
    public final ShardState.BacklogSummary discard(long epoch, long addressId, long fromSequence, long toSequence) {
        return write("discard", w -> w.discard(epoch, addressId, fromSequence, toSequence));
    }

    @Override
    public final long[] orphanedBodies() {
        return read("orphanedBodies", ShardReader::orphanedBodies);
    }

    @Override
    public final List<StoredMessage> readRing(long[] sequences) {
        return sequences.length == 0 ? List.of() : read("readRing", r -> r.readRing(sequences));
    }

    @Override
    public final MessageRow readMessage(long sequence) {
        return read("readMessage", r -> r.readMessage(sequence));
    }

    @Override
    public final List<StoredMessage> readBacklog(
            long addressId,
            int group,
            int bit,
            long afterSequence,
            long beforeSequence,
            int messagesMax,
            long bytesMax) {
        return read(
                "readBacklog",
                r -> r.readBacklog(addressId, group, bit, afterSequence, beforeSequence, messagesMax, bytesMax));
    }

    @Override
    public final List<StoredMessage> readBacklogFacts(
            long addressId, int group, int bit, long afterSequence, int messagesMax) {
        return read("readBacklogFacts", r -> r.readBacklogFacts(addressId, group, bit, afterSequence, messagesMax));
    }

    @Override
    public final List<ShardState.OwedCount> countBacklog(long addressId, long fromSequence, long toSequence) {
        return read("countBacklog", r -> r.countBacklog(addressId, fromSequence, toSequence));
    }

    @Override
    public final List<Flush.BacklogSettlement> readBacklogLedger(long addressId) {
        return read("readBacklogLedger", r -> r.readBacklogLedger(addressId));
    }

    @Override
    public final List<InboxRow> readInbox(Collection<String> leftOut, int rowsMax, long bytesMax) {
        return read("readInbox", r -> r.readInbox(leftOut, rowsMax, bytesMax));
    }

    @Override
    public final Set<Integer> readInboxShards() {
        return read("readInboxShards", ShardReader::readInboxShards);
    }

    @Override
    public final Map<String, Set<Integer>> readPassedOn() {
        return read("readPassedOn", ShardReader::readPassedOn);
    }

    @Override
    public final List<Setting> readSettings() {
        return read("readSettings", ShardReader::readSettings);
    }

    @Override
    public final byte[] readBody(long bodyId) {
        return read("readBody", r -> r.readBody(bodyId));
    }

    /**
     * Closes the pool and the writer, after a write that is under way. An engine that holds more closes it afterwards.
     */
    @Override
    public void close() {
        pool.close();
        writing.lock();
        try {
            closed = true;
            dropWriter();
        } finally {
            writing.unlock();
        }
    }

    /** Runs one writing verb on the writer; a failure is rolled back and gets its kind here. */
    protected final <T> T write(String verb, SqlWork<W, T> work) {
        return onWriter(verb, true, work);
    }

    private <T> T onWriter(String verb, boolean commits, SqlWork<W, T> work) {
        writing.lock();
        try {
            W current = openWriter(verb);
            try {
                return work.on(current);
            } catch (SQLException e) {
                throw failed(verb, commits, e);
            } catch (RuntimeException e) { // also from a caller's consumer: no transaction stays open
                rollback();
                throw e;
            } catch (Error e) { // wherever the verb stopped, the server rolls back with the connection
                dropWriter();
                throw e;
            }
        } finally {
            writing.unlock();
        }
    }

    /** Runs a writing verb without an answer. */
    protected final void writeOnly(String verb, SqlAction<W> work) {
        write(verb, w -> {
            work.on(w);
            return null;
        });
    }

    /**
     * Runs a verb that changes nothing on a pooled connection. An idle connection may have been lost long ago, which
     * only its next use shows. So the verb is tried on another one, as long as the store gives out connections.
     */
    protected final <T> T pooled(String verb, SqlWork<Connection, T> work) {
        for (int lost = 0; ; lost++) {
            Connection taken = take(verb);
            try (Connection connection = taken) {
                return work.on(connection);
            } catch (SQLException e) {
                StoreFailure.Kind kind = dialect.classify(e);
                if (kind == StoreFailure.Kind.UNAVAILABLE || kind == StoreFailure.Kind.RETRYABLE) {
                    pool.evictConnection(taken); // so the next try does not meet what is wrong with its session
                }
                if (kind != StoreFailure.Kind.UNAVAILABLE || lost == pool.getMaximumPoolSize()) {
                    throw failure(kind, verb, e);
                }
            }
        }
    }

    private Connection take(String verb) {
        try {
            return pool.getConnection();
        } catch (SQLException e) {
            throw failure(dialect.classify(e), verb, e);
        }
    }

    /**
     * Runs a writing verb of one statement on a pooled connection. Once it is sent, the loss of the connection leaves
     * its outcome unknown.
     */
    protected final <T> T pooledWrite(String verb, SqlWork<Connection, T> work) {
        Connection taken = take(verb);
        try (Connection connection = taken) {
            return work.on(connection);
        } catch (SQLException e) {
            if (dialect.isOfReplica(e)) {
                pool.evictConnection(taken);
            }
            throw failure(unknownIfLost(dialect.classify(e)), verb, e);
        }
    }

    /** Returns the lock that every write holds; fair, for a neighbour that must keep writers out for a moment. */
    protected final ReentrantLock writing() {
        return writing;
    }

    private <T> T read(String verb, SqlWork<ShardReader, T> work) {
        return pooled(verb, connection -> work.on(reader(connection)));
    }

    /**
     * Makes the missing steps. Shards of one process that start together in one database take turns: the later ones
     * find nothing to do. (Between processes Flyway has locks of its own, which it asks for once a second.)
     */
    private void migrate() {
        synchronized (MIGRATIONS.computeIfAbsent(dialect.place(), place -> new Object())) {
            try {
                schema.migrate();
            } catch (SQLException e) {
                throw failure(dialect.classify(e), "migrate", e);
            }
        }
    }

    private W openWriter(String verb) {
        if (closed) {
            throw StoreErrors.closed();
        }
        if (writer == null) {
            try {
                Connection connection = dialect.writerDataSource().getConnection();
                try {
                    verify(connection); // it may be another server since the last one was lost
                    writer = writer(connection);
                } catch (SQLException | RuntimeException e) {
                    connection.close();
                    throw e;
                }
            } catch (SQLException e) {
                throw failure(dialect.classify(e), verb, e);
            }
        }
        return writer;
    }

    private StoreFailure failed(String verb, boolean commits, SQLException cause) {
        StoreFailure.Kind seen = dialect.classify(cause);
        StoreFailure.Kind kind = commits ? unknownIfLost(seen) : seen;
        if (kind == StoreFailure.Kind.OUTCOME_UNKNOWN
                || kind == StoreFailure.Kind.UNAVAILABLE
                || dialect.isOfReplica(cause)) {
            dropWriter();
        } else {
            rollback();
        }
        return failure(kind, verb, cause);
    }

    private StoreFailure failure(StoreFailure.Kind kind, String verb, SQLException cause) {
        return StoreErrors.of(kind, verb + " on " + dialect.place(), cause);
    }

    private static StoreFailure.Kind unknownIfLost(StoreFailure.Kind kind) {
        return kind == StoreFailure.Kind.UNAVAILABLE ? StoreFailure.Kind.OUTCOME_UNKNOWN : kind;
    }

    private void rollback() {
        try {
            writer.rollback();
        } catch (SQLException e) {
            LOG.debug("The writing connection is replaced: its transaction cannot be rolled back", e);
            dropWriter();
        }
    }

    private void dropWriter() {
        if (writer != null) {
            try {
                writer.close();
            } catch (SQLException e) {
                LOG.debug("A dropped connection cannot be closed", e);
            }
            writer = null;
        }
    }
}
