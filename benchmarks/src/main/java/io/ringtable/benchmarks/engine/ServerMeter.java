package io.ringtable.benchmarks.engine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts what a server counts, and samples what the sessions of one database wait for. The server is the run's own, so
 * what it counts for all databases is the run's work too.
 * <p>
 * Thread: the runner's, and one of its own that samples.
 */
final class ServerMeter implements EngineMeter {
    private static final long SAMPLE_NANOS = 5_000_000;
    private static final long GONE_MAX_NANOS = 10_000_000_000L;
    private static final String RUNNING = "";

    private final Connection counting;
    private final Connection sampling;
    private final PreparedStatement counts;
    private final PreparedStatement others;
    private final PreparedStatement dirty; // null if the server does not let us look into its buffers
    private final PreparedStatement waits;
    private final PreparedStatement contention; // null if the server counts none
    private final DeviceCounts device; // null if the server is elsewhere
    private final Map<Count, Long> begun;
    private final Map<Contention, Map<String, Long>> begunContention;
    private Map<Contention, Map<String, Long>> endedContention = Map.of(); // until the meter stops
    private final Map<String, Long> samples = new HashMap<>(); // the sampler's until it has ended
    private final Thread sampler = new Thread(this::sample, "server-meter");
    private volatile boolean stopped; // written by the runner

    /**
     * Holds the questions to a server.
     *
     * @param counts asks for one row whose columns are named as {@link Count}
     * @param sessions asks how many sessions the database has beside the one that asks
     * @param waits asks for a row for each session at work: the event that it waits for, or nothing
     * @param dirty asks how many pages are changed and not written; null if the server does not tell
     * @param contention asks for rows of a {@link Contention}, a name and how often; null if the server does not tell
     */
    record Questions(String counts, String sessions, String waits, String dirty, String contention) {}

    /** @param device null if the server is elsewhere */
    ServerMeter(Connection counting, Connection sampling, Questions questions, DeviceCounts device)
            throws SQLException {
        this.counting = counting;
        this.sampling = sampling;
        this.device = device;
        counts = counting.prepareStatement(questions.counts());
        others = counting.prepareStatement(questions.sessions());
        dirty = questions.dirty() == null ? null : counting.prepareStatement(questions.dirty());
        waits = sampling.prepareStatement(questions.waits());
        contention = questions.contention() == null ? null : counting.prepareStatement(questions.contention());
        begunContention = readContention();
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
            now.putAll(device.read());
        }
        return now;
    }

    private Map<Contention, Map<String, Long>> readContention() throws SQLException {
        Map<Contention, Map<String, Long>> now = new EnumMap<>(Contention.class);
        if (contention != null) {
            try (ResultSet rows = contention.executeQuery()) {
                while (rows.next()) {
                    now.computeIfAbsent(Contention.valueOf(rows.getString(1)), kind -> new HashMap<>())
                            .put(rows.getString(2), rows.getLong(3));
                }
            }
        }
        return now;
    }

    private void sample() {
        try {
            do { // at least once, however short the run
                try (ResultSet rows = waits.executeQuery()) {
                    while (rows.next()) {
                        samples.merge(rows.getString(1), 1L, Long::sum);
                    }
                }
                LockSupport.parkNanos(SAMPLE_NANOS);
            } while (!stopped);
        } catch (SQLException e) {
            if (!stopped) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public Map<Count, Long> soFar() {
        try {
            return Count.between(begun, read());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void pause() {
        stopped = true;
        try {
            sampler.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Map<Count, Long> stop() {
        pause();
        try {
            sampling.close();
            awaitEndOfSessions();
            endedContention = readContention();
            return Count.between(begun, read());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Waits for the end of sessions. A session hands in its counts when it ends, after its client has closed the
     * connection.
     */
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
    public List<Wait> waits() {
        long all = samples.values().stream().mapToLong(Long::longValue).sum();
        return samples.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(RUNNING))
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .map(entry -> new Wait(entry.getKey(), (double) entry.getValue() / all))
                .toList();
    }

    @Override
    public Map<Contention, String> contended() {
        Map<Contention, String> most = new EnumMap<>(Contention.class);
        endedContention.forEach((kind, names) -> {
            Map<String, Long> before = begunContention.getOrDefault(kind, Map.of());
            names.entrySet().stream()
                    .map(entry -> Map.entry(entry.getKey(), entry.getValue() - before.getOrDefault(entry.getKey(), 0L)))
                    .filter(entry -> entry.getValue() > 0)
                    .max(Map.Entry.comparingByValue())
                    .ifPresent(entry -> most.put(kind, entry.getKey()));
        });
        return most;
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
