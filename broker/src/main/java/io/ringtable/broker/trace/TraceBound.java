package io.ringtable.broker.trace;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Admits so many sampled messages per second and no more, spread over the second. Time in which fewer came counts for a
 * tenth of a second at most, so that no burst follows a pause.
 * <p>
 * Thread: any.
 */
final class TraceBound {
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long price; // of one message, in ns
    private final LongSupplier nanoTime;
    private final AtomicLong paidUntil;
    private final LongAdder passedOver = new LongAdder();

    /** @param perSecond 1 to 1,000,000 */
    TraceBound(int perSecond, LongSupplier nanoTime) {
        this.price = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.nanoTime = nanoTime;
        this.paidUntil = new AtomicLong(nanoTime.getAsLong() - BURST_NANOS);
    }

    boolean admits() {
        while (true) {
            long now = nanoTime.getAsLong();
            long until = paidUntil.get();
            if (until - now > 0) {
                passedOver.increment();
                return false;
            }
            long from = now - until > BURST_NANOS ? now - BURST_NANOS : until;
            if (paidUntil.compareAndSet(until, from + price)) {
                return true;
            }
        }
    }

    long passedOver() {
        return passedOver.sum();
    }
}
