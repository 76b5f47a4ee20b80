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
     * Raised by an event loop before a delivery leaves its consumer. Lowered by the same event loop if the delivery was
     * not the consumer's any more, else by the dispatcher when the transaction has ended. So while a transaction holds
     * one, this is above 0.
     */
    private final AtomicInteger held = new AtomicInteger();

    private final Set<Long> settledElsewhere = new HashSet<>(); // by sequence; written and read by dispatcher

    /** A delivery is about to leave its consumer for a transaction. Thread: any. */
    public void begin() {
        held.incrementAndGet();
    }

    /** The delivery was not its consumer's any more. Thread: any. */
    public void cancel() {
        held.decrementAndGet();
    }

    /** A transaction that held one has ended. */
    public void end() {
        if (held.decrementAndGet() == 0) {
            settledElsewhere.clear();
        }
    }

    /** Somebody has settled a message that a transaction may hold. */
    void settledElsewhere(long sequence) {
        if (held.get() > 0) {
            settledElsewhere.add(sequence);
        }
    }

    /** Whether somebody has settled the message while a transaction held it. */
    public boolean wasSettledElsewhere(long sequence) {
        return settledElsewhere.contains(sequence);
    }
}
