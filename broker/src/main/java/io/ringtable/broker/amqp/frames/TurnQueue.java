package io.ringtable.broker.amqp.frames;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The connections of one event loop that had more to do than one turn: they take their next turns one after another, and all of them
 * together no more than half of the loop's time. The others find the loop free for the rest of it.
 * <p>
 * Thread: its event loop.
 */
public final class TurnQueue {
    /** So much the loop may owe to the others before somebody new has to wait. */
    private static final long OWED_NANOS_MAX = 10_000_000;

    private final EventLoop eventLoop;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean scheduled;
    private long notBefore = System.nanoTime(); // the next turn

    public TurnQueue(EventLoop eventLoop) {
        this.eventLoop = eventLoop;
    }

    /**
     * @param turn comes when those before it have had theirs
     * @param nanos that its connection has had just now
     */
    public void add(Runnable turn, long nanos) {
        had(nanos);
        waiting.add(turn);
        schedule();
    }

    /** Takes the turn at once if nobody waits and the others are owed little, else adds it. @return whether it was taken */
    public boolean take(Runnable turn) {
        if (!waiting.isEmpty() || notBefore - System.nanoTime() > OWED_NANOS_MAX) {
            add(turn, 0);
            return false;
        }
        run(turn);
        return true;
    }

    /** Whoever has had so much of the loop leaves as much to the others. */
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
