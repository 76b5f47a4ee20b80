package io.ringtable.broker.ownership;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Knows until when this node may answer for its shard. After the end nothing leaves that a client can see: no outcome,
 * no delivery, no answer. The database lets another node in only after the whole lease, so two nodes never speak at the
 * same time.
 * <p>
 * The deadline is monotonic, and counts from <em>before</em> the call that began or renewed the lease. So it lies
 * before the deadline of the database, however long the call, its answer or this process took. A frozen node finds its
 * lease over at the first look at the clock, before it has spoken to the database.
 * <p>
 * Thread: any. The {@code lease-keeper} and the committer move the deadline, only ever forward.
 */
public sealed class Lease permits LatestLease {
    /**
     * Keeps this share of the lease (1/20) unused: for clocks that run at different rates, and for a write under way.
     */
    private static final int UNUSED_SHARE = 20;

    private final LongSupplier nanoClock;
    private final long usableNanos; // 0 = without end
    private final AtomicLong endsAt; // by nanoClock
    private final LongAdder lateRenewals = new LongAdder();
    private volatile boolean ended; // written by the housekeeper, and by any agent that learns of another owner

    Lease(LongSupplier nanoClock, long usableNanos, long askedAt) {
        this.nanoClock = nanoClock;
        this.usableNanos = usableNanos;
        this.endsAt = new AtomicLong(askedAt + usableNanos);
    }

    /**
     * Begins a lease.
     *
     * @param length as the database has it
     * @param nanoClock monotonic, in ns
     * @param askedAt reading of the clock before the database was asked for the shard
     */
    public static Lease begun(Duration length, LongSupplier nanoClock, long askedAt) {
        long nanos = length.toNanos();
        return new Lease(nanoClock, nanos - nanos / UNUSED_SHARE, askedAt);
    }

    /** Begins a lease that no clock ends: no other process can open the store before this one has ended. */
    public static Lease withoutEnd() {
        return new Lease(System::nanoTime, 0, 0);
    }

    /**
     * Returns a lease that is over when the last of several is. The lease is renewed through them alone.
     *
     * @param leases at each look those that count
     */
    public static Lease latest(Supplier<Stream<Lease>> leases) {
        return new LatestLease(leases);
    }

    /** Answers whether a clock ends the lease. */
    public boolean isBounded() {
        return usableNanos > 0;
    }

    /** Returns the reading of its clock, in ns: ask before a call that may renew the lease. */
    public long now() {
        return nanoClock.getAsLong();
    }

    /** Moves the deadline: the database has confirmed the ownership in a call that began at {@code askedAt}. */
    public void renewed(long askedAt) {
        if (leftNanos() < usableNanos / 2) {
            lateRenewals.increment();
        }
        endsAt.accumulateAndGet(askedAt + usableNanos, (a, b) -> b - a > 0 ? b : a);
    }

    /**
     * Returns how many renewals came when less than half of the lease was left. The keeper begins one when a fifth is
     * over, so that the process or the database then took very long.
     */
    public long lateRenewals() {
        return lateRenewals.sum();
    }

    /** Ends the lease immediately and for good: another node has the shard, or this one gives it up. */
    public void end() {
        ended = true;
    }

    /** Answers whether nothing may leave any more. Costs one look at the clock. */
    public boolean isOver() {
        return leftNanos() <= 0;
    }

    /** Returns the time until the end, in ns; 0 or less after it. */
    public long leftNanos() {
        if (ended) {
            return 0;
        }
        return usableNanos == 0 ? Long.MAX_VALUE : endsAt.get() - nanoClock.getAsLong();
    }
}
