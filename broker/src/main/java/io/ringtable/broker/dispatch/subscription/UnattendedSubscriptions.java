package io.ringtable.broker.dispatch.subscription;

/**
 * Leaves what a stored subscription owes to the store while it has no consumer.
 * <p>
 * Thread: dispatcher.
 */
public final class UnattendedSubscriptions {
    private final Fences fences;
    private final DispatchBounds dispatchBounds;

    public UnattendedSubscriptions(Fences fences, DispatchBounds dispatchBounds) {
        this.fences = fences;
        this.dispatchBounds = dispatchBounds;
    }

    /** Lets go of what is in memory: its messages wait in the store for the next consumer. */
    public void leaveToStore(SubscriptionState state) {
        state.owed().leaveToStore();
        state.reads().giveUp();
        state.reads().unpark(); // the next consumer has the damaged message tried again
        fences.raise(state); // what was settled a moment ago must not be read as owed
        dispatchBounds.lower(state);
    }
}
