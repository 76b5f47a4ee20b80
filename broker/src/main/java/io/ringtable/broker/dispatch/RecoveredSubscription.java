package io.ringtable.broker.dispatch;

import io.ringtable.broker.dispatch.subscription.ParkedSubscriptions;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;

/**
 * Where recovery tells what a stored subscription owes. Thread: whoever recovers, before the dispatcher's first turn.
 */
public final class RecoveredSubscription {
    private final SubscriptionState state;
    private final ParkedSubscriptions parked;

    RecoveredSubscription(SubscriptionState state, ParkedSubscriptions parked) {
        this.state = state;
        this.parked = parked;
    }

    /** @param deliverAt not before, ms since the epoch; 0 = at once */
    public void owesInRing(long sequence, int priority, long deliverAt) {
        state.owed().recoveredInRing(sequence, priority, deliverAt);
    }

    /** @param gate the ring's */
    public void owesInBacklog(long gate) {
        state.owed().recoveredInBacklog(gate);
    }

    /** @param notBefore ms since the epoch; 0 = at once */
    public void failures(long sequence, int count, long notBefore) {
        state.owed().recoveredFailures(sequence, count, notBefore);
    }

    /** Highest sequence that may have been delivered, as it is durable from now on for this subscription alone. */
    public void dispatchBound(long sequence) {
        state.recoverDispatchBound(sequence);
    }

    /** A message that cannot be delivered: the subscription is served up to it. */
    public void damaged(long sequence, String reason) {
        parked.foundDamaged(state.subscription(), sequence, reason);
    }
}
