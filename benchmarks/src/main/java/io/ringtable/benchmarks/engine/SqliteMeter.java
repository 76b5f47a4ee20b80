package io.ringtable.benchmarks.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts SQLite's log by looking at it all the time: the log begins anew after a checkpoint, and nobody tells how long
 * it was before. The frames between the last look and such a beginning are missed; they are below a hundredth.
 * <p>
 * Thread: the runner's, and one of its own that looks.
 */
final class SqliteMeter implements EngineMeter {
    private static final long LOOK_NANOS = 200_000;

    private final Connection connection; // keeps the log's files while sessions come and go
    private final SqliteLogMeter log;
    private final DeviceCounts device;
    private final Map<Count, Long> begun;
    private final Thread looking = new Thread(this::look, "sqlite-meter");
    private Map<Count, Long> paused; // null while it counts
    private volatile boolean stopped; // written by the runner

    SqliteMeter(SqliteDatabase database) throws SQLException {
        boolean written = database.hasLog(); // a connection makes the log's files, still without a page
        connection = database.connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA wal_autocheckpoint = 0"); // a checkpoint is the sessions' work
            if (!written) {
                statement.executeUpdate("PRAGMA user_version = 1"); // the log exists from the first commit on
            }
        }
        log = new SqliteLogMeter(database.file());
        device = new DeviceCounts(database.directory());
        begun = read();
        looking.setDaemon(true);
        looking.start();
    }

    private void look() {
        while (!stopped) {
            log.committed();
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    @Override
    public void pause() {
        if (stopped) {
            return;
        }
        stopped = true;
        try {
            looking.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        log.committed();
        paused = soFar(); // not later: the last session's end empties the log
    }

    @Override
    public Map<Count, Long> stop() {
        pause();
        return paused;
    }

    @Override
    public Map<Count, Long> soFar() {
        return Count.between(begun, read());
    }

    private Map<Count, Long> read() {
        Map<Count, Long> now = new EnumMap<>(Count.class);
        now.put(Count.LOG_BYTES, log.bytes());
        now.put(Count.LOG_WRITES, log.frames());
        now.put(Count.PAGES_DIRTIED, (long) log.waiting());
        now.putAll(device.read());
        return now;
    }

    /** Returns nothing: sessions know themselves how long they waited for the file. */
    @Override
    public List<Wait> waits() {
        return List.of();
    }

    @Override
    public Map<Contention, String> contended() {
        return Map.of();
    }

    @Override
    public void close() {
        try {
            log.close();
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
