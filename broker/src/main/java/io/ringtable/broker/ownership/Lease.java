package io.ringtable.broker.ownership;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Knows until when this node may answer for its shard. Nothing that a client can see leaves once it is over: no outcome,
 * no delivery, no answer. The database lets another node in only after the whole lease, so the two never speak at once.
 * <p>
 * The deadline is monotonic, and counts from <em>before</em> the call that began or renewed the lease: however long the
 * call, its answer or this process took since, the deadline lies before the one of the database. A node that was frozen
 * finds its lease over at the first look at the clock, before it has spoken to the database.
 * <p>
 * Thread: any. The housekeeper's {@code lease-keeper} and the committer move the deadline, only ever forward.
 */
public final class Lease {
    /** This share of the lease stays unused: for clocks that run at different rates, and for a write under way. */
    private static final int UNUSED_SHARE = 20;

    private final LongSupplier nanoClock;
    private final long usableNanos; // 0 = without end
    private final AtomicLong endsAt; // by nanoClock
    private volatile boolean ended; // written by the housekeeper and whoever learns that another node has the shard

    private Lease(LongSupplier nanoClock, long usableNanos, long askedAt) {
        this.nanoClock = nanoClock;
        this.usableNanos = usableNanos;
        this.endsAt = new AtomicLong(askedAt + usableNanos);
    }

    /**
     * Begins a lease.
     *
     * @param length as the database has it
     * @param nanoClock monotonic, in ns
     * @param askedAt what the clock said before the database was asked for the shard
     */
    public static Lease begun(Duration length, LongSupplier nanoClock, long askedAt) {
        long nanos = length.toNanos();
        return new Lease(nanoClock, nanos - nanos / UNUSED_SHARE, askedAt);
    }

    /** Begins one that no clock ends: no other process can open the store before this one has ended. */
    public static Lease withoutEnd() {
        return new Lease(System::nanoTime, 0, 0);
    }

    /** Whether a clock ends it. */
    public boolean isBounded() {
        return usableNanos > 0;
    }

    /** Answers what its clock says, in ns: to be asked before a call that may renew it. */
    public long now() {
        return nanoClock.getAsLong();
    }

    /** Moves the deadline: the database has confirmed the ownership in a call that began at {@code askedAt}. */
    public void renewed(long askedAt) {
        endsAt.accumulateAndGet(askedAt + usableNanos, (a, b) -> b - a > 0 ? b : a);
    }

    /** Ends it at once and for good: another node has the shard, or this one gives it up. */
    public void end() {
        ended = true;
    }

    /** Whether nothing may leave any more. Costs one look at the clock. */
    public boolean isOver() {
        return leftNanos() <= 0;
    }

    /** Answers the time until it is over, in ns; 0 or less if it is. */
    public long leftNanos() {
        if (ended) {
            return 0;
        }
        return usableNanos == 0 ? Long.MAX_VALUE : endsAt.get() - nanoClock.getAsLong();
    }
}
