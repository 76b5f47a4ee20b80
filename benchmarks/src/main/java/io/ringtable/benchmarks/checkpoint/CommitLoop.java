package io.ringtable.benchmarks.checkpoint;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Commits one small row after the other in a session of its own, and times those commits that a checkpoint meets.
 * <p>
 * Thread: the runner's, and one of its own that commits. Failure: {@link #stop} has that of the session.
 */
final class CommitLoop implements AutoCloseable {
    private static final int WARM = 100; // commits before the checkpoint begins

    private final BenchmarkDatabase database;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final CountDownLatch warm = new CountDownLatch(1);
    private final Future<Timed> committing;
    private volatile boolean timing; // written by the runner
    private volatile boolean stopped; // written by the runner

    /**
     * Tells of a run.
     *
     * @param commits all of them
     * @param micros of those that the checkpoint met, at least one
     * @param whyNotDurable which settings let commits be lost; empty if none does
     */
    record Timed(long commits, double[] micros, Optional<String> whyNotDurable) {}

    CommitLoop(BenchmarkDatabase database) {
        this.database = database;
        committing = thread.submit(this::commit);
    }

    private Timed commit() throws SQLException {
        try (CheckpointSession session = new CheckpointSession(database);
                PreparedStatement statement = session.commit()) {
            List<Double> micros = new ArrayList<>();
            long commits = 0;
            while (!stopped || micros.isEmpty()) {
                long begun = System.nanoTime();
                statement.executeUpdate();
                if (timing) {
                    micros.add((System.nanoTime() - begun) / 1e3);
                }
                commits++;
                if (commits == WARM) {
                    warm.countDown();
                }
            }
            return new Timed(
                    commits, micros.stream().mapToDouble(Double::doubleValue).toArray(), session.whyNotDurable());
        } finally {
            warm.countDown(); // the runner waits, also for a session that has failed
        }
    }

    /** Returns once the session is at work. From now on its commits are timed, and the one that is under way. */
    void begin() {
        try {
            warm.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        timing = true;
    }

    /** Ends the session behind the commit that is under way. */
    Timed stop() {
        stopped = true;
        try {
            return committing.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the session beside the checkpoint has failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        timing = true;
        stopped = true;
        thread.shutdown();
    }
}
