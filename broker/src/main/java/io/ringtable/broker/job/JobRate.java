package io.ringtable.broker.job;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Spreads a number of letters per second over time. Time that was not used counts for a fifth of a second at most, so
 * that no burst follows a pause.
 * <p>
 * Thread: jobs.
 */
final class JobRate {
    private static final int BURSTS_PER_SECOND = 5;
    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    private final int perSecond;
    private final LongSupplier nanoTime;
    private final double most;
    private double permitted;
    private long since; // nanoTime up to which permits were given

    /** @param perSecond 0 = no limit */
    JobRate(int perSecond, LongSupplier nanoTime) {
        this.perSecond = perSecond;
        this.nanoTime = nanoTime;
        this.most = Math.max(1, (double) perSecond / BURSTS_PER_SECOND);
        this.permitted = 1;
        this.since = nanoTime.getAsLong();
    }

    /** Returns how many letters may go now at most, after a pause. */
    int burst() {
        return perSecond == 0 ? Integer.MAX_VALUE : (int) most;
    }

    boolean permits() {
        if (perSecond == 0) {
            return true;
        }
        long now = nanoTime.getAsLong();
        permitted = Math.min(most, permitted + (now - since) / SECOND * perSecond);
        since = now;
        return permitted >= 1;
    }

    void took() {
        permitted -= 1;
    }

    /** Returns the time until {@link #permits} says yes, in ns; {@link Long#MAX_VALUE} if it did and nothing went. */
    long waitNanos() {
        return perSecond == 0 || permitted >= 1
                ? Long.MAX_VALUE
                : (long) Math.max(1, (1 - permitted) / perSecond * SECOND);
    }
}
