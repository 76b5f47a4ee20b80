package io.ringtable.broker.commit;

import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes large bodies into overflow before their message is claimed, and deletes them after it is over, so that no
 * flush waits for a large body.
 * <p>
 * Thread: {@code stager}, its own; any hands in. Failure: a body that cannot be stored refuses its message; one that
 * cannot be deleted is left to the next recovery, which drops bodies that no row names.
 */
final class Stager implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Stager.class);
    private static final int EPOCH_SHIFT = 32;

    private final RingStore store;
    private final LongSupplier epoch;
    private final long idBase;
    private final AtomicInteger ids = new AtomicInteger();
    private final ExecutorService executor = Executors.newSingleThreadExecutor(task -> new Thread(task, "stager"));

    /** @param epoch the shard's present one */
    Stager(RingStore store, LongSupplier epoch) {
        this.store = store;
        this.epoch = epoch;
        // An epoch is never taken twice, so neither is an id that begins with it.
        this.idBase = epoch.getAsLong() << EPOCH_SHIFT;
    }

    long nextBodyId() {
        return idBase + Integer.toUnsignedLong(ids.incrementAndGet());
    }

    void stage(long bodyId, byte[] body, Consumer<Refusal> done) {
        execute(() -> done.accept(tryStage(bodyId, body)), done);
    }

    private Refusal tryStage(long bodyId, byte[] body) {
        try {
            store.stage(epoch.getAsLong(), bodyId, body);
            return null;
        } catch (StoreFailure failure) {
            return new Refusal(
                    Refusal.Reason.LIMIT,
                    failure.code(),
                    "a body of " + body.length + " bytes could not be stored: " + failure.getMessage());
        }
    }

    void unstage(List<Long> bodyIds) {
        if (!bodyIds.isEmpty()) {
            long[] ids = bodyIds.stream().mapToLong(Long::longValue).toArray();
            execute(() -> tryUnstage(ids), refusal -> {});
        }
    }

    private void tryUnstage(long[] bodyIds) {
        try {
            store.unstage(epoch.getAsLong(), bodyIds);
        } catch (StoreFailure failure) {
            LOG.info("{} bodies stay in overflow until the next recovery: {}", bodyIds.length, failure.getMessage());
        }
    }

    private void execute(Runnable task, Consumer<Refusal> refused) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            refused.accept(new Refusal(Refusal.Reason.UNAVAILABLE, "RT-2104", "the shard is stopping"));
        }
    }

    @Override
    public void close() {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(5, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            executor.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
