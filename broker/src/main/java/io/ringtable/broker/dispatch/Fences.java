package io.ringtable.broker.dispatch;

import io.ringtable.broker.commit.Committer;

/**
 * Keeps a subscription from reading back what was settled a moment ago, until the settlements are durable.
 * <p>
 * Thread: dispatcher.
 */
final class Fences {
    private final Committer committer;

    Fences(Committer committer) {
        this.committer = committer;
    }

    /** Lets the subscription read nothing until every settlement handed in before is durable. */
    void raise(SubscriptionState state) {
        state.reads().fence();
        committer.fence(state.subscription());
    }
}
