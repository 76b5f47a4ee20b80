package io.ringtable.acceptance.freeze;

import io.ringtable.client.RingtableException;
import jakarta.jms.JMSException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that makes its connection anew whenever it is lost, until it is ended. Thread: its own.
 */
abstract class Worker {
    private static final long RETRY_MS = 50;
    private static final long END_MS = TimeUnit.MINUTES.toMillis(2);

    private final Thread thread;
    private volatile boolean ended; // written by the test
    private volatile boolean leaving; // written by the test, cleared by the thread
    private volatile Throwable failure; // written by the thread
    private volatile Exception lastLoss; // written by the thread

    Worker(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    final void start() {
        thread.start();
    }

    /** Asks one that can to turn to the other node, though its connection is not lost. */
    final void leave() {
        leaving = true;
    }

    final void end() {
        ended = true;
    }

    /** Waits for its end. */
    final void join() {
        try {
            thread.join(END_MS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (failure != null) {
            throw new AssertionError(thread.getName() + " failed", failure);
        }
        if (thread.isAlive()) {
            AssertionError stuck = new AssertionError(thread.getName() + " does not end");
            stuck.setStackTrace(thread.getStackTrace());
            throw stuck;
        }
    }

    /** Its name, and why it last lost its connection. */
    @Override
    public final String toString() {
        return thread.getName() + (lastLoss == null ? "" : " (" + lastLoss + ")");
    }

    private void run() {
        try {
            while (!ended) {
                try {
                    leaving = false;
                    work();
                } catch (JMSException | RingtableException | UncheckedIOException | IllegalStateException lost) {
                    lastLoss = lost;
                    pause(RETRY_MS);
                }
            }
        } catch (Exception | Error e) {
            failure = e;
        }
    }

    /** Until it {@link #goesOn no longer}, or its connection is lost. */
    abstract void work() throws Exception;

    final boolean goesOn() {
        return !ended;
    }

    final boolean isLeaving() {
        return leaving;
    }

    static void pause(long ms) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
    }
}
