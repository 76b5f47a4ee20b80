package io.ringtable.broker.dispatch;

import java.util.ArrayList;
import java.util.List;

/**
 * Subscriptions that hold messages for later, and when the first of them is due.
 * <p>
 * Thread: dispatcher.
 */
final class Timetable {
    private final List<SubscriptionState> waiting = new ArrayList<>();
    private long next = Schedule.NEVER;

    /** Its schedule may have got a new first. */
    void add(SubscriptionState state) {
        long due = state.owed().nextDue();
        if (due != Schedule.NEVER && !state.waits) {
            state.waits = true;
            waiting.add(state);
        }
        next = Math.min(next, due);
    }

    /** When something is due, ms since the epoch; {@link Schedule#NEVER} if nothing is. */
    long next() {
        return next;
    }

    /** @param now ms since the epoch @return how many messages have come due */
    int release(long now, Turn turn) {
        int released = 0;
        long first = Schedule.NEVER;
        for (int i = waiting.size() - 1; i >= 0; i--) {
            SubscriptionState state = waiting.get(i);
            int due = state.owed().release(now);
            if (due > 0) {
                released += due;
                turn.wake(state);
            }
            long its = state.owed().nextDue();
            if (its == Schedule.NEVER) {
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
