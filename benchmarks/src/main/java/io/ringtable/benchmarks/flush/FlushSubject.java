package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Count;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.Durability;
import io.ringtable.benchmarks.engine.EngineMeter;
import io.ringtable.benchmarks.engine.FsyncProbe;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Readings;
import io.ringtable.benchmarks.suite.Subject;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Measures a form of the flush. Each round has a database of its own; the first one is run twice, to warm up. The
 * paths check that each flush changes the rows that it has to.
 * <p>
 * Thread: the runner's.
 */
final class FlushSubject implements Subject {
    private static final int FLUSH_MAX = 4_000; // SQLite's store takes 4,096 messages

    private final Databases databases;
    private final String engine;
    private final Idea idea;
    private final int subscribers;
    private final int sessions;
    private final int batch;
    private final int ringSize;
    private boolean warm;

    FlushSubject(
            Databases databases, String engine, Idea idea, int subscribers, int sessions, int batch, int ringSize) {
        this.databases = databases;
        this.engine = engine;
        this.idea = idea;
        this.subscribers = subscribers;
        this.sessions = sessions;
        this.batch = batch;
        this.ringSize = ringSize;
    }

    @Override
    public Map<Figure, String> measure(Duration time) {
        if (!warm) {
            warm = true;
            round(time);
        }
        return round(time);
    }

    private Map<Figure, String> round(Duration time) {
        Readings readings = new Readings();
        try (BenchmarkDatabase database = databases.create(engine)) {
            try (FsyncProbe probe = new FsyncProbe(database.directory())) {
                readings.put(Figure.RAW_SYNC_US, probe.medianMicros());
            }
            Publishers.Run run;
            Map<Count, Long> counts;
            double cpu;
            try (Meters meters = new Meters(database)) {
                double cpuBefore = database.cpuSeconds();
                run = new Publishers(meters.path, sessions, batch, FLUSH_MAX).run(time);
                cpu = database.cpuSeconds() - cpuBefore;
                meters.meter.pause();
                meters.path.close();
                counts = meters.meter.stop();
                meters.meter.topWait().ifPresent(readings::put);
            }
            read(readings, run, cpu);
            readings.putCounts(counts);
            readings.putDurability(whyNotDurable(database).or(() -> Durability.whyNotSynced(counts, run.flushes(), 1)));
        }
        return readings.figures();
    }

    /** Holds the path and what counts its work; the counting begins when its tables are there. */
    private final class Meters implements AutoCloseable {
        final FlushPath path;
        final EngineMeter meter;

        Meters(BenchmarkDatabase database) {
            path = idea.isModel()
                    ? Model.open(database, idea, subscribers)
                    : new StorePath(database, idea, subscribers, ringSize);
            meter = database.meter();
        }

        @Override
        public void close() {
            path.close();
            meter.close();
        }
    }

    private void read(Readings readings, Publishers.Run run, double cpu) {
        readings.put(Figure.SECONDS, run.seconds());
        readings.put(Figure.MESSAGES, run.messages());
        readings.put(Figure.MESSAGES_PER_S, run.messages() / run.seconds());
        readings.put(Figure.COMMITS, run.flushes());
        if (run.messages() > 0) {
            double[] micros =
                    run.commitNanos().stream().mapToDouble(nanos -> nanos / 1e3).toArray();
            readings.put(Figure.COMMIT_MEDIAN_US, Numbers.median(micros));
            readings.put(Figure.COMMIT_P99_US, Numbers.percentile(micros, 0.99));
            readings.put(Figure.CPU_US_PER_MESSAGE, cpu * 1e6 / run.messages());
        }
    }

    private static Optional<String> whyNotDurable(BenchmarkDatabase database) {
        try (Connection session = database.connect()) {
            return database.whyNotDurable(session);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        // each round has removed its database
    }
}
