package io.ringtable.broker.dispatch.subscription;

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
 * Serves the subscriptions for which something has changed, each once, then wakes the connections that got something,
 * each once. A subscription that takes longer than its slice goes on in a later turn. All those share one bounded part
 * of the turn, so they hold up each other and hardly anybody else.
 * <p>
 * Thread: dispatcher.
 */
public final class ServiceQueue {
    /** For all that are unfinished; the last of them may take its own slice beyond it. */
    private static final long UNFINISHED_MS = 1;

    private final List<SubscriptionState> added = new ArrayList<>();
    private final Deque<SubscriptionState> unfinished = new ArrayDeque<>();
    private final Set<Mailbox> mailboxes = Collections.newSetFromMap(new IdentityHashMap<>());
    private final LongSupplier clockMs;

    /** @param clockMs ms since the epoch */
    public ServiceQueue(LongSupplier clockMs) {
        this.clockMs = clockMs;
    }

    /** Has the subscription served before the turn ends, unless it waits for a later one already. */
    public void add(SubscriptionState state) {
        state.change();
        if (state.waitForService()) {
            added.add(state);
        }
    }

    /** Has the subscription served further in a later turn: its slice was over first. */
    public void addUnfinished(SubscriptionState state) {
        if (state.waitForService()) {
            unfinished.add(state);
        }
    }

    /** Wakes the mailbox once, when all subscriptions are served: something was put into it. */
    public void wakeAtEnd(Mailbox mailbox) {
        mailboxes.add(mailbox);
    }

    /** Ends a turn. @return how many were served */
    public int serveAll(Consumer<SubscriptionState> serve) {
        int left = unfinished.size(); // those of earlier turns
        int served = 0;
        for (; served < added.size(); served++) { // serving one may make another wait
            serve(added.get(served), serve);
        }
        added.clear();
        long until = left == 0 ? 0 : clockMs.getAsLong() + UNFINISHED_MS;
        for (boolean isOver = false; left > 0 && !isOver; left--, served++) {
            serve(unfinished.remove(), serve);
            isOver = clockMs.getAsLong() >= until;
        }
        mailboxes.forEach(Mailbox::wake);
        mailboxes.clear();
        return served;
    }

    private static void serve(SubscriptionState state, Consumer<SubscriptionState> serve) {
        state.beginService();
        serve.accept(state);
    }
}
