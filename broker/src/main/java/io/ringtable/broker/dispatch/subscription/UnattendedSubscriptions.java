package io.ringtable.broker.dispatch.subscription;

/**
 * Leaves what a stored subscription owes to the store while nobody reads it.
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

    /** Lets go of what is in memory: nobody reads it, so its messages wait in the store. */
    public void leaveToStore(SubscriptionState state) {
        state.owed().leaveToStore();
        state.reads().giveUp();
        state.reads().unpark(); // whoever attaches next has it tried again
        fences.raise(state); // what was settled a moment ago must not be read as owed
        dispatchBounds.lower(state);
    }
}
