package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.store.StoreCounters;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the log into the file beside the writer, so that no commit has to.
 * <p>
 * Most checkpoints are PASSIVE: frequent, and nobody waits for them. While the writer goes on they never quite catch
 * up, and the log grows. Beyond a bound a RESTART checkpoint copies the rest with writers kept out, and the next write
 * begins the log anew. TRUNCATE would be worse: a log that has its length already syncs faster. A foreign reader that
 * keeps its snapshot open, as a backup does, keeps the log growing, and the broker logs that.
 * <p>
 * Thread: {@code sqlite-checkpoint}, of shard 3 {@code sqlite-checkpoint-3}, with a connection of its own. Failure: the
 * thread logs it and tries again. The store goes on without checkpoints until its disk is full.
 */
final class SqliteCheckpoints implements Runnable, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteCheckpoints.class);

    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int COMMITS_BETWEEN = 32;
    private static final long LOG_FRAMES_MAX = 16_384; // 64 MiB of pages of 4 KiB
    private static final int FRAME_BYTES = 24 + 4096; // header of a frame, and a page
    private static final long COMPLAINT_FRAMES = 4 * LOG_FRAMES_MAX;
    private static final long COMPLAINT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final SqliteDialect dialect;
    private final Path path;
    private final ReentrantLock writing;
    private final StoreCounters counters;
    private final Thread thread;
    private volatile boolean closed; // written by the closing thread, read by the checkpoint thread
    private volatile long commits; // written under the write lock, read by the checkpoint thread
    private long seen; // the checkpoint thread owns this and the following fields
    private long restartAbove = LOG_FRAMES_MAX;
    private long complainedAt;
    private long framesCounted; // frames of the log since it last began anew

    /** Holds what a checkpoint answers: whether another connection was in the way, frames in the log, frames copied. */
    private record Progress(boolean busy, long logFrames, long copiedFrames) {}

    private SqliteCheckpoints(
            String name, SqliteDialect dialect, SqliteFile file, ReentrantLock writing, StoreCounters counters) {
        this.counters = counters;
        this.dialect = dialect;
        this.path = file.path();
        this.writing = writing;
        this.complainedAt = System.nanoTime() - COMPLAINT_NANOS;
        this.thread = new Thread(this, name);
        thread.setDaemon(true);
    }

    /** @param name of the thread */
    static SqliteCheckpoints start(
            String name, SqliteDialect dialect, SqliteFile file, ReentrantLock writing, StoreCounters counters) {
        SqliteCheckpoints checkpoints = new SqliteCheckpoints(name, dialect, file, writing, counters);
        checkpoints.thread.start();
        return checkpoints;
    }

    /** Counts a committed transaction. Thread: the holder of the write lock. */
    void written() {
        long count = commits + 1;
        commits = count;
        if (count % COMMITS_BETWEEN == 0) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void run() {
        while (!closed) {
            LockSupport.parkNanos(this, PAUSE_MAX_NANOS);
            if (commits != seen && !closed) {
                try (Connection connection = dialect.checkpointDataSource().getConnection();
                        Statement statement = connection.createStatement()) {
                    serve(statement);
                } catch (SQLException | RuntimeException | Error e) { // the thread goes on whatever happens
                    LOG.warn(
                            "RT-3020 the log of '{}' cannot be copied into the file, trying again: {}",
                            path,
                            e.getMessage());
                }
            }
        }
    }

    private void serve(Statement statement) throws SQLException {
        while (!closed) {
            if (commits != seen) {
                seen = commits;
                checkpoint(statement);
            }
            LockSupport.parkNanos(this, PAUSE_MAX_NANOS);
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true; // the file must not close under the thread: wait, then pass the interrupt on
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void checkpoint(Statement statement) throws SQLException {
        Progress passive = run(statement, SqliteStatement.CHECKPOINT_PASSIVE);
        if (passive.logFrames() > restartAbove) {
            Progress restart;
            writing.lock();
            try {
                restart = run(statement, SqliteStatement.CHECKPOINT_RESTART);
            } finally {
                writing.unlock();
            }
            // Writers have waited in vain for a foreign reader: they do not wait again soon.
            restartAbove = restart.busy() ? restart.logFrames() + LOG_FRAMES_MAX : LOG_FRAMES_MAX;
            if (restart.busy() && restart.logFrames() > COMPLAINT_FRAMES) {
                complain(restart);
            }
        }
    }

    private void complain(Progress progress) {
        long now = System.nanoTime();
        if (now - complainedAt >= COMPLAINT_NANOS) {
            complainedAt = now;
            LOG.warn(
                    "RT-3021 the log of '{}' has grown to {} pages, {} of them copied: another process keeps a"
                            + " transaction open on the file. A backup ends by itself; any other reader should read"
                            + " from a backup instead",
                    path,
                    progress.logFrames(),
                    progress.copiedFrames());
        }
    }

    private Progress run(Statement statement, SqliteStatement checkpoint) throws SQLException {
        try (ResultSet answer = statement.executeQuery(dialect.statements().sql(checkpoint))) {
            answer.next();
            Progress progress = new Progress(answer.getInt(1) != 0, answer.getLong(2), answer.getLong(3));
            countLog(progress.logFrames());
            return progress;
        }
    }

    /** Counts frames; a log that is shorter than before has begun anew. */
    private void countLog(long frames) {
        long added = frames >= framesCounted ? frames - framesCounted : frames;
        framesCounted = frames;
        counters.logBytes.add(added * FRAME_BYTES);
    }
}
