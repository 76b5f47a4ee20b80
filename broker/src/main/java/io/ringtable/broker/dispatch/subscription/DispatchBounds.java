package io.ringtable.broker.dispatch.subscription;

import io.ringtable.broker.store.Flush.DispatchBound;
import io.ringtable.broker.work.CommitterMailbox;

/**
 * Keeps each subscription's dispatch bound durable: the highest sequence that it may have been given. What a crash
 * brings again up to there is flagged as redelivered; what lies above never was delivered.
 * <p>
 * A dispatch bound rises before dispatch passes it: a subscription that keeps up follows the shard's, which every flush
 * keeps above what it claims; one that is behind has one of its own. It falls to what was really delivered when nobody
 * reads any more.
 * <p>
 * Thread: dispatcher.
 */
public final class DispatchBounds {
    /** How far a subscription that is behind raises its bound at once, so that not every message waits for a flush. */
    private static final long STEP = 8_192;

    private final CommitterMailbox committer;

    public DispatchBounds(CommitterMailbox committer) {
        this.committer = committer;
    }

    /** Whether the message may be delivered under what is durable; if not, the bound is on its way up. */
    public boolean allows(SubscriptionState state, long sequence) {
        if (state.isWithinDispatchBound(sequence)) {
            return true;
        }
        if (state.requestDispatchBound()) {
            request(state, state.owed().isCaughtUp() ? DispatchBound.FOLLOWS : sequence + STEP);
        }
        return false;
    }

    /** Takes over the bound that was requested: it is durable. */
    public void durable(SubscriptionState state, DispatchBound bound) {
        if (bound.sequence() == DispatchBound.FOLLOWS) {
            state.followDispatchBoundOfShard();
        } else {
            state.raiseDispatchBound(bound.sequence());
        }
        if (!state.isAttended()) {
            lower(state); // its consumers left while the bound was on its way up
        }
    }

    /** Lowers the bound of a subscription that nobody reads: what was never delivered is not to be flagged. */
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
