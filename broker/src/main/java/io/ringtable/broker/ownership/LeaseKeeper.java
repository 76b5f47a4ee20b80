package io.ringtable.broker.ownership;

import io.ringtable.broker.store.RingOwnership;
import io.ringtable.broker.store.StoreFailure;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the lease of a shard from the moment that the node takes it, also during a long recovery. The keeper waits for
 * the database and judges nothing: {@link Lease} says whether the lease is over, and needs no answer from anybody.
 * <p>
 * Thread: its own, {@code lease-keeper}. Failure: the keeper tries a failed renewal again. The keeper reports a fenced
 * renewal, and an error that ends this thread, once.
 */
public final class LeaseKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);
    private static final long PAUSE_MS_MAX = 200;
    private static final int RENEWALS_PER_LEASE = 5;
    private static final int LOOKS_PER_LEASE = 10;

    private final RingOwnership store;
    private final Lease lease;
    private final long lengthNanos;
    private final long begunAt;
    private final Consumer<ShardStopped> onLost;
    private final Thread thread;
    private volatile LongSupplier epoch; // written by housekeeper, read by lease-keeper
    private volatile boolean closed;
    private long fencedEpoch = -1; // epoch of the last renewal, if it was refused

    /**
     * @param threadName of this keeper's thread
     * @param begunAt what the lease's clock said before the database was asked for the shard, which may have taken long
     * @param epoch under which the shard was taken
     * @param onLost told on this keeper's thread that another node has the shard, or that the renewals have ended
     */
    public LeaseKeeper(
            String threadName,
            RingOwnership store,
            Lease lease,
            Duration length,
            long begunAt,
            long epoch,
            Consumer<ShardStopped> onLost) {
        this.thread = new Thread(this::run, threadName);
        this.store = store;
        this.lease = lease;
        this.lengthNanos = length.toNanos();
        this.begunAt = begunAt;
        this.epoch = () -> epoch;
        this.onLost = onLost;
    }

    public LeaseKeeper start() {
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    /** Renews under the epochs that the recovered shard takes from now on. */
    public void follow(LongSupplier epochs) {
        epoch = epochs;
    }

    private void run() {
        try {
            keep();
        } catch (Throwable failure) { // an error; unreported, it would show only when the lease is over
            report(new ShardStopped(
                    ShardStopped.Next.FAIL, "RT-2111 the lease is no longer renewed: " + failure, failure));
        }
    }

    private void keep() {
        long renewed = begunAt;
        while (!closed) {
            long asked = lease.now();
            if (asked - renewed > lengthNanos / RENEWALS_PER_LEASE && renew()) {
                lease.renewed(asked);
                renewed = asked;
            }
            LockSupport.parkNanos(Math.min(TimeUnit.MILLISECONDS.toNanos(PAUSE_MS_MAX), lengthNanos / LOOKS_PER_LEASE));
        }
    }

    /**
     * Renews the lease once. One refusal may concern an epoch that the committer has just left to find out what is
     * durable.
     */
    private boolean renew() {
        long asked = epoch.getAsLong();
        try {
            store.renew(asked);
            return true;
        } catch (StoreFailure failure) {
            boolean again = asked == fencedEpoch;
            fencedEpoch = failure.kind() == StoreFailure.Kind.FENCED ? asked : -1;
            if (again && fencedEpoch == epoch.getAsLong()) {
                lease.end(); // immediately: the report takes time
                report(new ShardStopped(ShardStopped.Next.STAND_BY, failure.getMessage(), failure));
            } else if (failure.kind() != StoreFailure.Kind.FENCED) {
                LOG.warn("the lease was not renewed: {}", failure.getMessage());
            }
            return false;
        } catch (RuntimeException failure) {
            LOG.warn("the lease was not renewed", failure); // the lease ends by itself if that goes on
            return false;
        }
    }

    /** Reports why the shard stops, unless this keeper is closed: the node may have taken the shard again meanwhile. */
    private void report(ShardStopped reason) {
        if (!closed) {
            onLost.accept(reason);
        }
    }

    /**
     * Ends the renewals without waiting: a call that the database never answers must not keep the node from closing.
     */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
