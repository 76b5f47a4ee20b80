package io.ringtable.broker.amqp.link;

import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.work.CommitterMailbox;
import io.ringtable.broker.work.Work;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Hands the works of one connection to the committers of their homes. Works without room wait here, and try again when
 * there is some. A committer without room stops the works of its own home and no others.
 * <p>
 * Thread: the connection's event loop.
 */
public final class HandOff {
    /** Waits for room at a committer. */
    public interface Waiting {
        /** Tries again, and waits again if it must. */
        void advance();
    }

    /**
     * Hands works to the committer of one home. A link with works for that home asks for this once, and keeps it.
     * <p>
     * Thread: the connection's event loop.
     */
    public final class ToHome {
        private final Home home;
        private final CommitterMailbox committer;
        private boolean full; // the committer will say when it has room

        private ToHome(Home home) {
            this.home = home;
            this.committer = home.committer();
        }

        public Home home() {
            return home;
        }

        /** Tells whether the home's committer takes no works of this connection now. */
        public boolean isFull() {
            return full;
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
            fullHomes++;
            counters.creditStalls.increment();
            committer.onRoom(() -> mailbox.post(this::onRoom));
            return false;
        }

        private void onRoom() {
            full = false;
            fullHomes--;
            for (Waiting waiter : List.copyOf(waiting)) {
                waiter.advance();
            }
        }
    }

    private final ConnectionMailbox mailbox;
    private final AmqpCounters counters;
    private final Runnable onIdle;
    private final List<ToHome> homes = new ArrayList<>(1); // as many as the connection has addresses in
    private final Set<Waiting> waiting = new LinkedHashSet<>();
    private int handedIn; // works that a committer will answer
    private int fullHomes;

    /** Makes a hand-off. @param onIdle runs when the last work that was handed in has its answer */
    public HandOff(ConnectionMailbox mailbox, AmqpCounters counters, Runnable onIdle) {
        this.mailbox = mailbox;
        this.counters = counters;
        this.onIdle = onIdle;
    }

    /** Returns the way to a home, the same one for all who ask. Forgets homes that are over. */
    public ToHome to(Home home) {
        for (ToHome known : homes) {
            if (known.home == home) {
                return known;
            }
        }
        homes.removeIf(known -> known.home.isOver());
        ToHome added = new ToHome(home);
        homes.add(added);
        return added;
    }

    /**
     * Tells whether a home that has ended may still owe an answer, to a work or to the question for room; neither would
     * come. It may also be another home that owes it. If not, the home is forgotten.
     *
     * @param shard number of the home
     */
    public boolean waitsForEnded(int shard) {
        boolean waits = homes.stream().anyMatch(known -> known.home.number() == shard && (known.full || handedIn > 0));
        if (!waits) {
            homes.removeIf(known -> known.home.number() == shard);
        }
        return waits;
    }

    /** Forgets a home that owes nothing: all links that used it have ended, each with all its answers. */
    public void forget(int shard) {
        homes.removeIf(known -> known.home.number() == shard && !known.full);
    }

    /** Counts an answer of a committer that has been passed on. */
    public void answered() {
        if (--handedIn == 0) {
            onIdle.run();
        }
    }

    /** Tells whether no work waits for an answer. A work that waits for room was never handed in and needs none. */
    public boolean isIdle() {
        return handedIn == 0;
    }

    /** Tells whether any committer takes no works of this connection now. */
    public boolean isFull() {
        return fullHomes > 0;
    }

    public void waits(Waiting waiter) {
        waiting.add(waiter);
    }

    public void waitsNoMore(Waiting waiter) {
        waiting.remove(waiter);
    }
}
