package io.ringtable.benchmarks.checkpoint;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Count;
import io.ringtable.benchmarks.engine.Durability;
import io.ringtable.benchmarks.engine.EngineMeter;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Readings;
import io.ringtable.benchmarks.suite.Subject;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Measures checkpoints of a table with one row per page, half of whose pages were changed. A round has two: one alone,
 * which is timed and whose writes are counted, and one while another session commits, whose commits are timed.
 * <p>
 * Thread: the runner's.
 */
final class CheckpointSubject implements Subject {
    private static final long COUNTS_MAX_NANOS = 10_000_000_000L;
    private static final long LOOK_NANOS = 1_000_000;

    private final BenchmarkDatabase database;
    private final CheckpointDesign design;
    private final int pages;
    private boolean warm;

    private CheckpointSubject(BenchmarkDatabase database, CheckpointDesign design, int pages) {
        this.database = database;
        this.design = design;
        this.pages = pages;
    }

    /** Creates the table in an empty database. */
    static CheckpointSubject create(BenchmarkDatabase database, CheckpointDesign design, int pages) {
        try (CheckpointSession session = new CheckpointSession(database)) {
            session.run(CheckpointStatement.CHECKPOINT_PAGES);
            session.run(CheckpointStatement.CHECKPOINT_COUNTER);
            session.change(CheckpointStatement.CHECKPOINT_FILL, pages, pages);
        }
        return new CheckpointSubject(database, design, pages);
    }

    /** Measures one round. It takes as long as its checkpoints take, or the given time if the design has none. */
    @Override
    public Map<Figure, String> measure(Duration time) {
        if (!design.hasCheckpoint()) {
            Readings readings = new Readings();
            readings.putRawSync(database.directory());
            amongCommits(readings, session -> pause(time));
            return readings.figures();
        }
        return design.isCapped() ? measure() : new Uncapped(database).run(this::measure);
    }

    private Map<Figure, String> measure() {
        if (!warm) {
            alone(new Readings()); // the first scan writes to each page that was filled, changed or not
            warm = true;
        }
        Readings readings = new Readings();
        readings.putRawSync(database.directory());
        alone(readings);
        amongCommits(readings, session -> session.run(CheckpointStatement.CHECKPOINT_RUN));
        return readings.figures();
    }

    private static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left; (left = end - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
    }

    /** Runs a checkpoint while nobody else works. */
    private void alone(Readings readings) {
        try (EngineMeter meter = database.meter()) {
            Map<Count, Long> clean;
            Map<Count, Long> changed;
            double seconds;
            try (CheckpointSession session = new CheckpointSession(database)) {
                session.run(CheckpointStatement.CHECKPOINT_CLEAN);
                clean = meter.soFar();
                readings.put(Figure.UPDATE_SECONDS, session.change(design.change(), pages, pages / 2));
                changed = meter.soFar();
                seconds = session.run(CheckpointStatement.CHECKPOINT_RUN);
            }
            awaitCounts(meter, changed);
            Map<Count, Long> counts = Count.between(changed, meter.stop());
            counts.computeIfPresent(Count.PAGES_DIRTIED, (count, any) -> changed.get(count) - clean.get(count));
            readings.putCounts(counts);
            readings.put(Figure.CHECKPOINT_SECONDS, seconds);
        }
    }

    /** Waits for the server's checkpointer, which hands in its counts after the statement has returned. */
    private static void awaitCounts(EngineMeter meter, Map<Count, Long> earlier) {
        long deadline = System.nanoTime() + COUNTS_MAX_NANOS;
        Long none = 0L;
        while (none.equals(Count.between(earlier, meter.soFar()).get(Count.CHECKPOINT_WRITES))) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the server counts no write of the checkpoint");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Times the commits of another session while a work is done. */
    private void amongCommits(Readings readings, Consumer<CheckpointSession> work) {
        try (EngineMeter meter = database.meter()) {
            CommitLoop.Timed timed;
            try (CheckpointSession session = new CheckpointSession(database)) {
                session.run(CheckpointStatement.CHECKPOINT_CLEAN);
                if (design.hasCheckpoint()) {
                    session.change(design.change(), pages, pages / 2);
                }
                try (CommitLoop commits = new CommitLoop(database)) {
                    commits.begin();
                    work.accept(session);
                    timed = commits.stop();
                }
            }
            readings.put(Figure.COMMITS, timed.micros().length);
            readings.put(Figure.COMMIT_MEDIAN_US, Numbers.percentile(timed.micros(), 0.5));
            readings.put(Figure.COMMIT_P99_US, Numbers.percentile(timed.micros(), 0.99));
            Map<Count, Long> counts = meter.stop();
            readings.putDurability(timed.whyNotDurable().or(() -> Durability.whyNotSynced(counts, timed.commits(), 1)));
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
