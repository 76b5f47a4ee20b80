package io.ringtable.broker.dispatch;

import io.ringtable.broker.store.Flush.DispatchedTo;
import io.ringtable.broker.work.CommitterMailbox;

/**
 * Keeps durable how far each subscription may have been served: what a crash brings again up to there is flagged as
 * redelivered, what lies above never was delivered.
 * <p>
 * A bound rises before dispatch passes it: a subscription that keeps up follows the shard's, which every flush keeps above
 * what it claims; one that is behind has one of its own. It falls to what was really delivered when nobody reads any more.
 * <p>
 * Thread: dispatcher.
 */
final class Bounds {
    /** How far a subscription that is behind raises its bound at once, so that not every message waits for a flush. */
    private static final long STEP = 8_192;

    private final CommitterMailbox committer;

    Bounds(CommitterMailbox committer) {
        this.committer = committer;
    }

    /** Whether the message may be delivered under what is durable; if not, the bound is on its way up. */
    boolean allows(SubscriptionState state, long sequence) {
        if (sequence <= state.bound) {
            return true;
        }
        if (!state.boundRequested) {
            state.boundRequested = true;
            request(state, state.owed().isCaughtUp() ? DispatchedTo.FOLLOWS : sequence + STEP);
        }
        return false;
    }

    /** What was requested is durable. */
    void durable(SubscriptionState state, DispatchedTo bound) {
        state.bound = bound.sequence() == DispatchedTo.FOLLOWS ? Long.MAX_VALUE : bound.sequence();
        state.boundRequested = false;
        if (!state.isAttended()) {
            lower(state); // its consumers left while the bound was on its way up
        }
    }

    /** Nobody reads it: what was never delivered is not to be flagged. */
    void lower(SubscriptionState state) {
        long delivered = Math.max(0, state.highestDelivered);
        if (state.bound > delivered) {
            state.bound = delivered;
            request(state, delivered);
        }
    }

    private void request(SubscriptionState state, long bound) {
        committer.bound(
                state.subscription(), new DispatchedTo(state.subscription().id(), bound));
    }
}
