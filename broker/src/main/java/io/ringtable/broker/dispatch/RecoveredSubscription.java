package io.ringtable.broker.dispatch;

/** Where recovery tells what a stored subscription owes. Thread: whoever recovers, before the dispatcher's first turn. */
public final class RecoveredSubscription {
    private final SubscriptionState state;

    RecoveredSubscription(SubscriptionState state) {
        this.state = state;
    }

    public void owesInRing(long sequence) {
        state.owed().recoveredInRing(sequence);
    }

    public void owesInBacklog() {
        state.owed().recoveredInBacklog();
    }

    public void failures(long sequence, int count) {
        state.owed().recoveredFailures(sequence, count);
    }

    /** Highest sequence that may have been delivered, as it is durable from now on for this subscription alone. */
    public void bound(long dispatchedTo) {
        state.owed().recoveredBound(dispatchedTo);
        state.bound = dispatchedTo;
        state.highestDelivered = dispatchedTo;
    }

    /** A message that cannot be delivered: the subscription is served up to it. */
    public void damaged(long sequence, String reason) {
        if (state.damage == null) {
            state.damage = new ReadBack.Damage(sequence, reason);
        }
    }
}
