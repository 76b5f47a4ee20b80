package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Count;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.Durability;
import io.ringtable.benchmarks.engine.EngineMeter;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Readings;
import io.ringtable.benchmarks.suite.Subject;
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
    private static final int PER_MS_MAX = 1_000; // messages, more than any engine takes here

    private final Databases databases;
    private final String engine;
    private final Idea idea;
    private final int subscribers;
    private final int sessions;
    private final int batch;
    private boolean warm;

    FlushSubject(Databases databases, String engine, Idea idea, int subscribers, int sessions, int batch) {
        this.databases = databases;
        this.engine = engine;
        this.idea = idea;
        this.subscribers = subscribers;
        this.sessions = sessions;
        this.batch = batch;
    }

    @Override
    public Map<Figure, String> measure(Duration time) {
        if (!warm) {
            warm = true;
            round(time);
        }
        return round(time);
    }

    @SuppressWarnings("try") // the path ends before the meter does: a session hands its counts in when it ends
    private Map<Figure, String> round(Duration time) {
        Readings readings = new Readings();
        try (BenchmarkDatabase database = databases.create(engine)) {
            readings.putRawSync(database.directory());
            Publishers.Run run;
            double cpu;
            Optional<String> whyNotDurable;
            Map<Count, Long> counts;
            try (FlushPath path = open(database, time);
                    EngineMeter meter = database.meter()) { // counts from here on: the tables are there
                double cpuBefore = database.cpuSeconds();
                run = new Publishers(path, sessions, batch, FLUSH_MAX).run(time);
                cpu = database.cpuSeconds() - cpuBefore;
                whyNotDurable = path.whyNotDurable();
                meter.pause();
                path.close();
                counts = meter.stop();
                readings.putWaits(meter.waits());
                readings.putContended(meter.contended());
            }
            read(readings, run, cpu);
            readings.putCounts(counts);
            readings.putDurability(whyNotDurable.or(() -> Durability.whyNotSynced(counts, run.flushes(), 1)));
        }
        return readings.figures();
    }

    private FlushPath open(BenchmarkDatabase database, Duration time) {
        if (idea == Idea.NAIVE_BATCHED) {
            return new NaivePath(database, subscribers);
        }
        return idea.isModel()
                ? Model.open(database, idea, subscribers)
                : new StorePath(database, idea, subscribers, (int) time.toMillis() * PER_MS_MAX);
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

    @Override
    public void close() {
        // each round has removed its database
    }
}
