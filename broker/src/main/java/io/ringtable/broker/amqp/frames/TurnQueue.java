package io.ringtable.broker.amqp.frames;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Queues the connections of one event loop that had more to do than one turn allows. Connections take their next turns
 * one after another, and together at most half of the loop's time. Other connections find the loop free for the rest.
 * <p>
 * Thread: its event loop.
 */
public final class TurnQueue {
    /** Limits what the loop may owe to other connections before a new turn has to wait. */
    private static final long OWED_NANOS_MAX = 10_000_000;

    private final EventLoop eventLoop;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean scheduled;
    private long notBefore = System.nanoTime(); // the next turn

    public TurnQueue(EventLoop eventLoop) {
        this.eventLoop = eventLoop;
    }

    /**
     * Adds a turn.
     *
     * @param turn runs after those before it
     * @param nanos that the connection has just used
     */
    public void add(Runnable turn, long nanos) {
        had(nanos);
        waiting.add(turn);
        schedule();
    }

    /**
     * Takes the turn immediately if no other waits and the loop owes little, else adds it.
     *
     * @return whether the turn has run
     */
    public boolean take(Runnable turn) {
        if (!waiting.isEmpty() || notBefore - System.nanoTime() > OWED_NANOS_MAX) {
            add(turn, 0);
            return false;
        }
        run(turn);
        return true;
    }

    /** Counts time that a turn took: the loop leaves as much time to other connections. */
    private void had(long nanos) {
        notBefore = Math.max(notBefore, System.nanoTime()) + nanos;
    }

    private void schedule() {
        if (!scheduled && !waiting.isEmpty()) {
            scheduled = true;
            eventLoop.schedule(this::next, Math.max(0, notBefore - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    private void next() {
        scheduled = false;
        try {
            run(waiting.remove());
        } finally {
            schedule();
        }
    }

    private void run(Runnable turn) {
        long begun = System.nanoTime();
        try {
            turn.run();
        } finally {
            had(System.nanoTime() - begun);
        }
    }
}
