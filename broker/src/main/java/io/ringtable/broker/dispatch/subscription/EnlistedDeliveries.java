package io.ringtable.broker.dispatch.subscription;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the deliveries of one subscription that transactions hold, and remembers which of them were settled elsewhere
 * meanwhile.
 * <p>
 * Thread: dispatcher; event loops call {@link #begin} and {@link #cancel}.
 */
public final class EnlistedDeliveries {
    /**
     * Counts the deliveries that transactions hold. An event loop counts up before a delivery leaves its consumer. The
     * same event loop counts down if the consumer did not have the delivery any more, else the dispatcher does when the
     * transaction ends. So while a transaction holds a delivery, the count is above 0.
     */
    private final AtomicInteger held = new AtomicInteger();

    private final Set<Long> settledElsewhere = new HashSet<>(); // by sequence; written and read by dispatcher

    /** Counts a delivery that is about to leave its consumer for a transaction. Thread: any. */
    public void begin() {
        held.incrementAndGet();
    }

    /** Counts down, as the consumer did not have the delivery any more. Thread: any. */
    public void cancel() {
        held.decrementAndGet();
    }

    /** Counts down, as a transaction that held a delivery has ended. */
    public void end() {
        if (held.decrementAndGet() == 0) {
            settledElsewhere.clear();
        }
    }

    /** Notes a message that was settled elsewhere and that a transaction may hold. */
    void settledElsewhere(long sequence) {
        if (held.get() > 0) {
            settledElsewhere.add(sequence);
        }
    }

    /** Returns whether the message was settled elsewhere while a transaction held it. */
    public boolean wasSettledElsewhere(long sequence) {
        return settledElsewhere.contains(sequence);
    }
}
