package io.ringtable.broker.dispatch;

import io.ringtable.broker.work.Mailbox;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What one turn of the dispatcher has to finish with: subscriptions to serve, each once, then connections to wake, each
 * once. Subscriptions that take longer than their slice go on in later turns, one after another, in a part of the turn that
 * is for all of them together: they hold up each other and hardly anybody else.
 * <p>
 * Thread: dispatcher.
 */
final class Turn {
    /** For all that are unfinished; the last of them may take its own slice beyond it. */
    private static final long UNFINISHED_MS = 1;

    private final List<SubscriptionState> woken = new ArrayList<>();
    private final Deque<SubscriptionState> unfinished = new ArrayDeque<>();
    private final Set<Mailbox> touched = Collections.newSetFromMap(new IdentityHashMap<>());
    private final LongSupplier clockMs;

    /** @param clockMs ms since the epoch */
    Turn(LongSupplier clockMs) {
        this.clockMs = clockMs;
    }

    /** Something has changed for the subscription: it is served before the turn ends, unless it waits for a later one. */
    void wake(SubscriptionState state) {
        state.changed = true;
        if (!state.waitsForTurn) {
            state.waitsForTurn = true;
            woken.add(state);
        }
    }

    /** Its slice was over before it had everything: it goes on in a later turn. */
    void goOn(SubscriptionState state) {
        if (!state.waitsForTurn) {
            state.waitsForTurn = true;
            unfinished.add(state);
        }
    }

    /** Something was put into the mailbox. */
    void touch(Mailbox mailbox) {
        touched.add(mailbox);
    }

    /** @return how many were served */
    int finish(Consumer<SubscriptionState> serve) {
        int left = unfinished.size(); // those of earlier turns
        int served = 0;
        for (; served < woken.size(); served++) { // serving one may make another wait
            serve(woken.get(served), serve);
        }
        woken.clear();
        long until = left == 0 ? 0 : clockMs.getAsLong() + UNFINISHED_MS;
        for (boolean isOver = false; left > 0 && !isOver; left--, served++) {
            serve(unfinished.remove(), serve);
            isOver = clockMs.getAsLong() >= until;
        }
        touched.forEach(Mailbox::wake);
        touched.clear();
        return served;
    }

    private static void serve(SubscriptionState state, Consumer<SubscriptionState> serve) {
        state.waitsForTurn = false;
        serve.accept(state);
    }
}
