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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes large bodies into overflow before their message is claimed, and deletes them after the message is over. So no
 * flush waits for a large body.
 * <p>
 * Thread: {@code stager}, its own; others use {@link StagerMailbox}. Failure: the stager waits while the store is away,
 * as the committer does. A body that the store does not take refuses its message. A body that the store does not delete
 * is left to {@link #unstageOrphans}.
 */
public final class Stager implements BodyIds, StagerMailbox, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Stager.class);
    /** Counts the bits of milliseconds since 1970, until the year 2109. Epochs with more are SQLite's (ADR 33). */
    private static final int MILLIS_BITS = 42;

    private static final int SQLITE_RANDOM_BITS = 20;
    private static final int IDS_PER_MILLI_BITS = 21;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RingStore store;
    private final LongSupplier epoch;
    private final int inlineBytesMax;
    private final AtomicLong ids;
    // bodies that are or will be staged, whose claim is not yet durable
    private final Set<Long> onTheWay = ConcurrentHashMap.newKeySet();
    private final ExecutorService executor;
    private volatile boolean closing; // written by committer, read by stager

    /**
     * @param epoch the present epoch of the shard
     * @param threadName of the only thread that stages
     */
    public Stager(RingStore store, LongSupplier epoch, String threadName) {
        this.executor = Executors.newSingleThreadExecutor(task -> new Thread(task, threadName));
        this.store = store;
        this.epoch = epoch;
        this.inlineBytesMax = store.limits().inlineBytesMax();
        this.ids = new AtomicLong(idBefore(epoch.getAsLong()));
    }

    /**
     * Returns what the ids of an owner's bodies begin above. Like the epoch they begin with the milliseconds of the
     * clock. So they are above those of all earlier owners, as nobody stages two million bodies in a millisecond. And
     * they are positive: SQL takes no other for an id.
     */
    static long idBefore(long epoch) {
        int behindMillis = epoch >> MILLIS_BITS == 0 ? 0 : SQLITE_RANDOM_BITS;
        return epoch << IDS_PER_MILLI_BITS - behindMillis;
    }

    @Override
    public int inlineBytesMax() {
        return inlineBytesMax;
    }

    @Override
    public long nextBodyId() {
        long id = ids.incrementAndGet();
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
                unstageQuietly(bodyId); // parts of the body may be stored
                if (closing || !mayPass(failure, under)) {
                    onTheWay.remove(bodyId);
                    return refusal(body, failure);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            } catch (RuntimeException | Error failure) { // without an answer the publisher would wait for ever
                LOG.error("RT-2317 a body of {} bytes could not be stored", body.length, failure);
                unstage(List.of(bodyId)); // parts of the body may be stored
                return new Refusal(
                        Refusal.Reason.UNAVAILABLE,
                        "RT-2317",
                        "a body of " + body.length + " bytes could not be stored: " + failure);
            }
        }
    }

    /** Decides whether a failure may pass: the committer may have taken the next epoch to find out what is durable. */
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

    /** Hears that the message of a body is claimed: from now on the tables say who needs the body. */
    public void claimed(long bodyId) {
        onTheWay.remove(bodyId);
    }

    @Override
    public void abandon(List<Long> bodyIds) {
        unstage(bodyIds);
    }

    /** Deletes bodies that no message needs any more, or whose message was never claimed. */
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
        // Both values come before the read of the tables: bodies staged or claimed meanwhile are no orphans.
        long[] spared = onTheWay.stream().mapToLong(Long::longValue).sorted().toArray();
        long last = ids.get();
        try {
            long[] found = store.orphanedBodies();
            long newest = ids.get();
            long[] orphans = Arrays.stream(found)
                    .filter(id -> id <= last || id > newest) // ids of earlier versions may be above
                    .filter(id -> Arrays.binarySearch(spared, id) < 0)
                    .toArray();
            if (orphans.length > 0) {
                unstageQuietly(orphans);
            }
        } catch (StoreFailure failure) {
            LOG.info("the search for bodies that nobody needs failed and comes again later: {}", failure.getMessage());
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
