package io.ringtable.broker.dispatch.subscription;

import io.ringtable.broker.work.CommitterMailbox;

/**
 * Keeps a subscription from reading back what was settled a moment ago, until the settlements are durable.
 * <p>
 * Thread: dispatcher.
 */
public final class Fences {
    private final CommitterMailbox committer;

    public Fences(CommitterMailbox committer) {
        this.committer = committer;
    }

    /** Lets the subscription read nothing until every settlement handed in before is durable. */
    public void raise(SubscriptionState state) {
        state.reads().fence();
        committer.fence(state.subscription());
    }
}
