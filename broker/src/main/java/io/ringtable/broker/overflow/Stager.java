package io.ringtable.broker.overflow;

import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes large bodies into overflow before their message is claimed, and deletes them after it is over, so that no
 * flush waits for a large body.
 * <p>
 * Thread: {@code stager}, its own; any hands in through {@link StagerMailbox}. Failure: while the store is away it waits, as the committer does; a body
 * that cannot be stored refuses its message; one that cannot be deleted is left to {@link #unstageOrphans}.
 */
public final class Stager implements BodyIds, StagerMailbox, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Stager.class);
    private static final int EPOCH_SHIFT = 32;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RingStore store;
    private final LongSupplier epoch;
    private final int inlineBytesMax;
    private final long idBase;
    private final AtomicInteger ids = new AtomicInteger();
    private final Set<Long> onTheWay =
            ConcurrentHashMap.newKeySet(); // staged or about to be, their claim not yet durable
    private final ExecutorService executor = Executors.newSingleThreadExecutor(task -> new Thread(task, "stager"));
    private volatile boolean closing; // written by committer, read by stager

    /** @param epoch the shard's present one */
    public Stager(RingStore store, LongSupplier epoch) {
        this.store = store;
        this.epoch = epoch;
        this.inlineBytesMax = store.limits().inlineBytesMax();
        // An epoch is never taken twice, so neither is an id that begins with it.
        this.idBase = epoch.getAsLong() << EPOCH_SHIFT;
    }

    @Override
    public int inlineBytesMax() {
        return inlineBytesMax;
    }

    @Override
    public long nextBodyId() {
        long id = idBase + Integer.toUnsignedLong(ids.incrementAndGet());
        onTheWay.add(id);
        return id;
    }

    @Override
    public void stage(long bodyId, byte[] body, Consumer<Refusal> done) {
        execute(() -> done.accept(tryStage(bodyId, body)), done);
    }

    private Refusal tryStage(long bodyId, byte[] body) {
        while (true) {
            long under = epoch.getAsLong();
            try {
                store.stage(under, bodyId, body);
                return null;
            } catch (StoreFailure failure) {
                unstageQuietly(bodyId); // parts of it may be there
                if (closing || !mayPass(failure, under)) {
                    onTheWay.remove(bodyId);
                    return refusal(body, failure);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            } catch (RuntimeException | Error failure) { // its publisher would wait for ever
                LOG.error("RT-2317 a body of {} bytes could not be stored", body.length, failure);
                unstage(List.of(bodyId)); // parts of it may be there
                return new Refusal(
                        Refusal.Reason.UNAVAILABLE,
                        "RT-2317",
                        "a body of " + body.length + " bytes could not be stored: " + failure);
            }
        }
    }

    /** The committer may have taken the next epoch since, to find out what is durable. */
    private boolean mayPass(StoreFailure failure, long under) {
        return switch (failure.kind()) {
            case RETRYABLE, UNAVAILABLE, OUTCOME_UNKNOWN -> true;
            case FENCED -> under != epoch.getAsLong();
            case REFUSED, NOT_WRITABLE, CORRUPT, UNSUPPORTED -> false;
        };
    }

    private static Refusal refusal(byte[] body, StoreFailure failure) {
        Refusal.Reason reason = switch (failure.kind()) {
            case REFUSED, NOT_WRITABLE -> Refusal.Reason.LIMIT;
            default -> Refusal.Reason.UNAVAILABLE;
        };
        return new Refusal(
                reason,
                failure.code(),
                "a body of " + body.length + " bytes could not be stored: " + failure.getMessage());
    }

    private void unstageQuietly(long... bodyIds) {
        try {
            store.unstage(epoch.getAsLong(), bodyIds);
        } catch (StoreFailure failure) {
            LOG.info("{} bodies stay in overflow for now: {}", bodyIds.length, failure.getMessage());
        }
    }

    /** Their messages are claimed: from now on the tables say who needs the bodies. */
    public void claimed(long bodyId) {
        onTheWay.remove(bodyId);
    }

    @Override
    public void abandon(List<Long> bodyIds) {
        unstage(bodyIds);
    }

    /** Deletes bodies that nobody owes any more, or that never were claimed. */
    public void unstage(List<Long> bodyIds) {
        if (!bodyIds.isEmpty()) {
            long[] ids = bodyIds.stream().mapToLong(Long::longValue).toArray();
            execute(
                    () -> {
                        unstageQuietly(ids);
                        bodyIds.forEach(onTheWay::remove);
                    },
                    refusal -> {});
        }
    }

    /** Deletes the bodies that no row names, except those whose claim is still to come. */
    public void unstageOrphans() {
        execute(this::tryUnstageOrphans, refusal -> {});
    }

    private void tryUnstageOrphans() {
        // Both before the tables are read: what is claimed or staged meanwhile is not taken for an orphan.
        long[] spared = onTheWay.stream().mapToLong(Long::longValue).sorted().toArray();
        long last = idBase + Integer.toUnsignedLong(ids.get());
        try {
            long[] orphans = Arrays.stream(store.orphanedBodies())
                    .filter(id -> id <= last && Arrays.binarySearch(spared, id) < 0)
                    .toArray();
            if (orphans.length > 0) {
                unstageQuietly(orphans);
            }
        } catch (StoreFailure failure) {
            LOG.info("bodies that nobody needs are looked for later: {}", failure.getMessage());
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
        closing = true;
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
