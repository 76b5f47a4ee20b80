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
 * Renews the lease of a shard from the moment it is taken, also while its recovery takes long. Waits for the database and
 * judges nothing: whether the lease is over is said by {@link Lease}, which needs no answer of anybody.
 * <p>
 * Thread: its own, {@code lease-keeper}. Failure: a renewal that fails is tried again; one that is fenced, and an error that ends
 * this thread, are reported once.
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
    private final Thread thread = new Thread(this::run, "lease-keeper");
    private volatile LongSupplier epoch; // written by housekeeper, read by lease-keeper
    private volatile boolean closed;
    private long fencedEpoch = -1; // under which the last renewal was refused

    /**
     * @param begunAt what the lease's clock said before the database was asked for the shard, which may have taken long
     * @param epoch under which the shard was taken
     * @param onLost told on this keeper's thread that another node has the shard, or that nobody renews any more
     */
    public LeaseKeeper(
            RingOwnership store,
            Lease lease,
            Duration length,
            long begunAt,
            long epoch,
            Consumer<ShardStopped> onLost) {
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
        } catch (Throwable failure) { // an error: nobody would notice before the lease is over
            report(new ShardStopped(
                    ShardStopped.Next.FAIL, "RT-2107 the lease is renewed no more: " + failure, failure));
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

    /** The committer takes the next epoch to find out what is durable: one refusal may be of the one it has just left. */
    private boolean renew() {
        long asked = epoch.getAsLong();
        try {
            store.renew(asked);
            return true;
        } catch (StoreFailure failure) {
            boolean again = asked == fencedEpoch;
            fencedEpoch = failure.kind() == StoreFailure.Kind.FENCED ? asked : -1;
            if (again && fencedEpoch == epoch.getAsLong()) {
                lease.end(); // at once: who reports it to whom takes time
                report(new ShardStopped(ShardStopped.Next.STAND_BY, failure.getMessage(), failure));
            } else if (failure.kind() != StoreFailure.Kind.FENCED) {
                LOG.warn("the lease was not renewed: {}", failure.getMessage());
            }
            return false;
        } catch (RuntimeException failure) {
            LOG.warn("the lease was not renewed", failure); // it ends by itself if that goes on
            return false;
        }
    }

    /** An answer that comes after the end concerns nobody: the node may have taken the shard again meanwhile. */
    private void report(ShardStopped reason) {
        if (!closed) {
            onLost.accept(reason);
        }
    }

    /** Renews no more. Does not wait: a call that the database never answers must not keep the node from closing. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
