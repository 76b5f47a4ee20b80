package io.ringtable.benchmarks.engine;

import io.ringtable.broker.store.jdbc.StatementFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts what a PostgreSQL server counts, and samples what the sessions of one database wait for. The server is the
 * run's own, so what it counts for all databases is the run's work too.
 * <p>
 * Thread: the runner's, and one of its own that samples.
 */
final class PostgresMeter implements EngineMeter {
    private static final long SAMPLE_NANOS = 5_000_000;
    private static final long GONE_MAX_NANOS = 10_000_000_000L;
    private static final String RUNNING = "";

    private final Connection counting;
    private final Connection sampling;
    private final PreparedStatement counts;
    private final PreparedStatement others;
    private final PreparedStatement dirty; // null if the server does not let us look into its buffers
    private final PreparedStatement waits;
    private final DeviceFlushes device; // null if the server is elsewhere
    private final Map<Count, Long> begun;
    private final Map<String, Long> samples = new HashMap<>(); // the sampler's until it has ended
    private final Thread sampler = new Thread(this::sample, "postgresql-meter");
    private volatile boolean stopped; // written by the runner

    /** @param device null if the server is elsewhere */
    PostgresMeter(Connection counting, Connection sampling, StatementFiles<ServerStatement> files, DeviceFlushes device)
            throws SQLException {
        this.counting = counting;
        this.sampling = sampling;
        this.device = device;
        counts = counting.prepareStatement(files.sql(ServerStatement.DATABASE_COUNTS));
        others = counting.prepareStatement(files.sql(ServerStatement.DATABASE_SESSIONS));
        dirty = extended(counting, files) ? counting.prepareStatement(files.sql(ServerStatement.DATABASE_DIRTY)) : null;
        waits = sampling.prepareStatement(files.sql(ServerStatement.DATABASE_WAITS));
        begun = read();
        sampler.setDaemon(true);
        sampler.start();
    }

    private Map<Count, Long> read() throws SQLException {
        Map<Count, Long> now = new EnumMap<>(Count.class);
        try (ResultSet row = counts.executeQuery()) {
            row.next();
            ResultSetMetaData columns = row.getMetaData();
            for (int column = 1; column <= columns.getColumnCount(); column++) {
                long value = row.getLong(column);
                if (!row.wasNull()) {
                    now.put(Count.valueOf(columns.getColumnLabel(column).toUpperCase(Locale.ROOT)), value);
                }
            }
        }
        if (dirty != null) {
            try (ResultSet row = dirty.executeQuery()) {
                row.next();
                now.put(Count.PAGES_DIRTIED, row.getLong(1));
            }
        }
        if (device != null) {
            device.read().ifPresent(flushes -> now.put(Count.DEVICE_FLUSHES, flushes));
        }
        return now;
    }

    private static boolean extended(Connection connection, StatementFiles<ServerStatement> files) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(files.sql(ServerStatement.DATABASE_EXTEND));
            return true;
        } catch (SQLException e) {
            return false; // no such right, or not installed: the figure is absent
        }
    }

    private void sample() {
        try {
            while (!stopped) {
                try (ResultSet rows = waits.executeQuery()) {
                    while (rows.next()) {
                        samples.merge(rows.getString(1), 1L, Long::sum);
                    }
                }
                LockSupport.parkNanos(SAMPLE_NANOS);
            }
        } catch (SQLException e) {
            if (!stopped) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public Map<Count, Long> stop() {
        stopped = true;
        try {
            sampler.join();
            sampling.close();
            awaitEndOfSessions();
            Map<Count, Long> work = read();
            work.replaceAll((count, value) -> value - begun.getOrDefault(count, 0L));
            return work;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** A session hands in its counts when it ends, which is after its client has closed the connection. */
    private void awaitEndOfSessions() throws SQLException {
        long deadline = System.nanoTime() + GONE_MAX_NANOS;
        while (System.nanoTime() < deadline) {
            try (ResultSet row = others.executeQuery()) {
                row.next();
                if (row.getLong(1) == 0) {
                    return;
                }
            }
            LockSupport.parkNanos(SAMPLE_NANOS);
        }
        throw new IllegalStateException("sessions of the run are still open: their work would not be counted");
    }

    @Override
    public Optional<Wait> topWait() {
        long all = samples.values().stream().mapToLong(Long::longValue).sum();
        return samples.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(RUNNING))
                .max(Map.Entry.comparingByValue())
                .map(entry -> new Wait(entry.getKey(), (double) entry.getValue() / all));
    }

    @Override
    public void close() {
        try {
            counting.close();
            sampling.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
