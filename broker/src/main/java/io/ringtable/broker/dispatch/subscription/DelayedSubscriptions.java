package io.ringtable.broker.dispatch.subscription;

import io.ringtable.broker.dispatch.owed.OwedSet;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists the subscriptions that owe messages whose time has not come, and knows when the first of them is due.
 * <p>
 * Thread: dispatcher.
 */
public final class DelayedSubscriptions {
    /** The time that never comes. */
    public static final long NEVER = OwedSet.NEVER;

    private final List<SubscriptionState> waiting = new ArrayList<>();
    private long next = NEVER;

    /** Notes that the first of its delayed messages may be another one. */
    public void add(SubscriptionState state) {
        long due = state.owed().nextDue();
        if (due != NEVER && state.listAsDelayed()) {
            waiting.add(state);
        }
        next = Math.min(next, due);
    }

    /** When something is due, ms since the epoch; {@link DelayedMessages#NEVER} if nothing is. */
    public long next() {
        return next;
    }

    /** @param now ms since the epoch @return how many messages have come due */
    public int release(long now, ServiceQueue serviceQueue) {
        int released = 0;
        long first = NEVER;
        for (int i = waiting.size() - 1; i >= 0; i--) {
            SubscriptionState state = waiting.get(i);
            int due = state.owed().release(now);
            if (due > 0) {
                released += due;
                serviceQueue.add(state);
            }
            long its = state.owed().nextDue();
            if (its == NEVER) {
                state.unlistAsDelayed();
                waiting.set(i, waiting.get(waiting.size() - 1));
                waiting.remove(waiting.size() - 1);
            }
            first = Math.min(first, its);
        }
        next = first;
        return released;
    }
}
