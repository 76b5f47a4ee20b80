package io.ringtable.broker.dispatch;

import io.ringtable.broker.store.Flush.DispatchedTo;

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

    /**
     * @param dispatchedTo the subscription's own bound, or {@link DispatchedTo#FOLLOWS}
     * @param shardBound what may have been delivered to those that follow
     */
    public void bound(long dispatchedTo, long shardBound) {
        boolean follows = dispatchedTo == DispatchedTo.FOLLOWS;
        state.owed().recoveredBound(follows ? shardBound : dispatchedTo);
        state.bound = follows ? Long.MAX_VALUE : dispatchedTo;
        state.highestDelivered = follows ? shardBound : dispatchedTo;
    }
}
