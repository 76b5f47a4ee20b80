package io.ringtable.broker.dispatch.subscription;

import io.ringtable.broker.store.Flush.DispatchBound;
import io.ringtable.broker.work.CommitterMailbox;

/**
 * Keeps each subscription's dispatch bound durable: the highest sequence that it may have been given. After a crash,
 * messages up to the bound are flagged as redelivered; those above were never delivered.
 * <p>
 * The bound rises before dispatch passes it. A subscription that keeps up follows the shard's bound; every flush keeps
 * that above what it claims. A subscription that is behind has a bound of its own. When the last consumer leaves, the
 * bound falls to what was really delivered.
 * <p>
 * Thread: dispatcher.
 */
public final class DispatchBounds {
    /** Sets how far a subscription that is behind raises its bound, so that not every message waits for a flush. */
    private static final long STEP = 8_192;

    private final CommitterMailbox committer;

    public DispatchBounds(CommitterMailbox committer) {
        this.committer = committer;
    }

    /** Returns whether the message may be delivered under the durable bound. If not, a higher bound is on its way. */
    public boolean allows(SubscriptionState state, long sequence) {
        if (state.isWithinDispatchBound(sequence)) {
            return true;
        }
        if (state.requestDispatchBound()) {
            request(state, state.owed().isCaughtUp() ? DispatchBound.FOLLOWS : sequence + STEP);
        }
        return false;
    }

    /** Takes over the requested bound, which is durable. */
    public void durable(SubscriptionState state, DispatchBound bound) {
        if (bound.sequence() == DispatchBound.FOLLOWS) {
            state.followDispatchBoundOfShard();
        } else {
            state.raiseDispatchBound(bound.sequence());
        }
        if (!state.isAttended()) {
            lower(state); // its consumers left while the higher bound was on its way
        }
    }

    /** Lowers the bound of a subscription without consumers: what was never delivered must not be flagged. */
    void lower(SubscriptionState state) {
        long lowered = state.lowerDispatchBound();
        if (lowered >= 0) {
            request(state, lowered);
        }
    }

    private void request(SubscriptionState state, long bound) {
        committer.dispatchBound(
                state.subscription(), new DispatchBound(state.subscription().id(), bound));
    }
}
