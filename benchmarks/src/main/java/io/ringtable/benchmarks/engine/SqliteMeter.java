package io.ringtable.benchmarks.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
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
    private final DeviceFlushes device;
    private final long flushes;
    private final Thread looking = new Thread(this::look, "sqlite-meter");
    private volatile boolean stopped; // written by the runner

    SqliteMeter(SqliteDatabase database) throws SQLException {
        connection = database.connect();
        if (!database.hasLog()) {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("PRAGMA user_version = 1"); // the log exists from the first commit on
            }
        }
        log = new SqliteLogMeter(database.file());
        device = new DeviceFlushes(database.directory());
        flushes = device.read().orElse(0);
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
        log.committed(); // not later: the last session's end empties the log
    }

    @Override
    public Map<Count, Long> stop() {
        pause();
        Map<Count, Long> counts = new EnumMap<>(Count.class);
        counts.put(Count.LOG_BYTES, log.bytes());
        counts.put(Count.LOG_WRITES, log.frames());
        device.read().ifPresent(now -> counts.put(Count.DEVICE_FLUSHES, now - flushes));
        return counts;
    }

    /** Empty: sessions know themselves how long they waited for the file. */
    @Override
    public Optional<Wait> topWait() {
        return Optional.empty();
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
