package io.ringtable.broker.dispatch;

import io.ringtable.broker.dispatch.subscription.ParkedSubscriptions;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;

/**
 * Takes from recovery what a stored subscription owes. Thread: the one that recovers, before the dispatcher's first
 * turn.
 */
public final class RecoveredSubscription {
    private final SubscriptionState state;
    private final ParkedSubscriptions parked;

    RecoveredSubscription(SubscriptionState state, ParkedSubscriptions parked) {
        this.state = state;
        this.parked = parked;
    }

    /** @param deliverAt earliest delivery, ms since the epoch; 0 = at once */
    public void owesInRing(long sequence, int priority, long deliverAt) {
        state.owed().recoveredInRing(sequence, priority, deliverAt);
    }

    /** @param gate the gate of the ring */
    public void owesInBacklog(long gate) {
        state.owed().recoveredInBacklog(gate);
    }

    /** @param notBefore ms since the epoch; 0 = at once */
    public void failures(long sequence, int count, long notBefore) {
        state.owed().recoveredFailures(sequence, count, notBefore);
    }

    /**
     * Takes the highest sequence that may have been delivered. From now on this bound is durable for this subscription
     * alone.
     */
    public void dispatchBound(long sequence) {
        state.recoverDispatchBound(sequence);
    }

    /** Notes a message that cannot be delivered: the dispatcher serves the subscription up to it. */
    public void damaged(long sequence, String reason) {
        parked.foundDamaged(state.subscription(), sequence, reason);
    }
}
