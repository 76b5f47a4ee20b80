package io.ringtable.benchmarks.flush;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Publishes with several sessions that each wait until their batch is durable. One committer flushes all that has come
 * meanwhile at once.
 * <p>
 * Thread: one for each session, and the committer. Failure: that of the flush, in the caller's thread.
 */
final class Publishers {
    /** Wakes the committer, who looks whether the one who left was the last. */
    private static final CompletableFuture<Void> LEFT = new CompletableFuture<>();

    private final FlushPath path;
    private final int sessions;
    private final int batch;
    private final int batchesMax; // of a flush

    Publishers(FlushPath path, int sessions, int batch, int flushMax) {
        this.path = path;
        this.sessions = sessions;
        this.batch = batch;
        this.batchesMax = Math.max(1, flushMax / batch);
    }

    /**
     * Tells of a run.
     *
     * @param commitNanos how long each batch waited until it was durable
     */
    record Run(long messages, long flushes, double seconds, List<Long> commitNanos) {}

    Run run(Duration time) {
        BlockingQueue<CompletableFuture<Void>> waiting = new LinkedBlockingQueue<>();
        ExecutorService threads = Executors.newFixedThreadPool(sessions + 1);
        CountDownLatch publishing = new CountDownLatch(sessions);
        try {
            long begun = System.nanoTime();
            long deadline = begun + time.toNanos();
            List<Future<List<Long>>> publishers = new ArrayList<>();
            for (int i = 0; i < sessions; i++) {
                publishers.add(threads.submit(publisher(waiting, deadline, publishing)));
            }
            long flushes = threads.submit(() -> commit(waiting, publishing)).get();
            double seconds = (System.nanoTime() - begun) / 1e9;
            List<Long> commitNanos = new ArrayList<>();
            for (Future<List<Long>> publisher : publishers) {
                commitNanos.addAll(publisher.get());
            }
            return new Run((long) commitNanos.size() * batch, flushes, seconds, commitNanos);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } finally {
            threads.shutdownNow();
        }
    }

    private static Callable<List<Long>> publisher(
            BlockingQueue<CompletableFuture<Void>> waiting, long deadline, CountDownLatch publishing) {
        return () -> {
            List<Long> nanos = new ArrayList<>();
            try {
                do { // at least once, however late the thread begins
                    long begun = System.nanoTime();
                    CompletableFuture<Void> durable = new CompletableFuture<>();
                    waiting.add(durable);
                    durable.get();
                    nanos.add(System.nanoTime() - begun);
                } while (System.nanoTime() < deadline);
            } finally {
                publishing.countDown();
                waiting.add(LEFT);
            }
            return nanos;
        };
    }

    /** Flushes until all publishers have ended. @return the number of flushes */
    private long commit(BlockingQueue<CompletableFuture<Void>> waiting, CountDownLatch publishing)
            throws InterruptedException {
        long flushes = 0;
        List<CompletableFuture<Void>> together = new ArrayList<>();
        while (true) {
            together.add(waiting.take());
            waiting.drainTo(together, batchesMax - 1);
            together.removeIf(one -> one == LEFT);
            if (!together.isEmpty()) {
                path.flush(together.size() * batch);
                flushes++;
                together.forEach(durable -> durable.complete(null));
                together.clear();
            } else if (publishing.getCount() == 0) {
                return flushes;
            }
        }
    }
}
