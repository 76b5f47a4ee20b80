package io.ringtable.broker.amqp.link;

import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Work;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Hands the works of one connection to the committer. Works without room wait here, and try again when there is some.
 * <p>
 * Thread: the connection's event loop.
 */
public final class HandOff {
    /** Waits for room at the committer. */
    public interface Waiting {
        /** Tries again, and waits again if it must. */
        void advance();
    }

    private final CommitterMailbox committer;
    private final ConnectionMailbox mailbox;
    private final AmqpCounters counters;
    private final Runnable onIdle;
    private final Set<Waiting> waiting = new LinkedHashSet<>();
    private int handedIn; // works that the committer will answer
    private boolean full;

    /** Makes a hand-off. @param onIdle runs when the last work that was handed in has its answer */
    public HandOff(CommitterMailbox committer, ConnectionMailbox mailbox, AmqpCounters counters, Runnable onIdle) {
        this.committer = committer;
        this.mailbox = mailbox;
        this.counters = counters;
        this.onIdle = onIdle;
    }

    /** Hands a work in. @return false if the committer has no room; waiters try again when it has */
    public boolean submit(Work work) {
        if (full) {
            return false;
        }
        if (committer.trySubmit(work)) {
            handedIn++;
            return true;
        }
        full = true;
        counters.creditStalls.increment();
        committer.onRoom(work, () -> mailbox.post(this::onRoom));
        return false;
    }

    private void onRoom() {
        full = false;
        for (Waiting waiter : List.copyOf(waiting)) {
            waiter.advance();
        }
    }

    /** Counts an answer of the committer that has been passed on. */
    public void answered() {
        if (--handedIn == 0) {
            onIdle.run();
        }
    }

    /** Tells whether no work waits for an answer. A work that waits for room was never handed in and needs none. */
    public boolean isIdle() {
        return handedIn == 0;
    }

    public boolean isFull() {
        return full;
    }

    public void waits(Waiting waiter) {
        waiting.add(waiter);
    }

    public void waitsNoMore(Waiting waiter) {
        waiting.remove(waiter);
    }
}
