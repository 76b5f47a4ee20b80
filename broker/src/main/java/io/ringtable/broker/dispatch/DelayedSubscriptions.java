package io.ringtable.broker.dispatch;

import java.util.ArrayList;
import java.util.List;

/**
 * Subscriptions that hold messages for later, and when the first of them is due.
 * <p>
 * Thread: dispatcher.
 */
final class DelayedSubscriptions {
    private final List<SubscriptionState> waiting = new ArrayList<>();
    private long next = DelayedMessages.NEVER;

    /** Its schedule may have got a new first. */
    void add(SubscriptionState state) {
        long due = state.owed().nextDue();
        if (due != DelayedMessages.NEVER && !state.waits) {
            state.waits = true;
            waiting.add(state);
        }
        next = Math.min(next, due);
    }

    /** When something is due, ms since the epoch; {@link DelayedMessages#NEVER} if nothing is. */
    long next() {
        return next;
    }

    /** @param now ms since the epoch @return how many messages have come due */
    int release(long now, ServiceQueue serviceQueue) {
        int released = 0;
        long first = DelayedMessages.NEVER;
        for (int i = waiting.size() - 1; i >= 0; i--) {
            SubscriptionState state = waiting.get(i);
            int due = state.owed().release(now);
            if (due > 0) {
                released += due;
                serviceQueue.add(state);
            }
            long its = state.owed().nextDue();
            if (its == DelayedMessages.NEVER) {
                state.waits = false;
                waiting.set(i, waiting.get(waiting.size() - 1));
                waiting.remove(waiting.size() - 1);
            }
            first = Math.min(first, its);
        }
        next = first;
        return released;
    }
}
