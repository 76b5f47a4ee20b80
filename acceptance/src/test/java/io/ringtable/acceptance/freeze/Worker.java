package io.ringtable.acceptance.freeze;

import io.ringtable.acceptance.harness.Pace;
import io.ringtable.client.RingtableException;
import jakarta.jms.JMSException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A client that makes its connection anew whenever it is lost, until it is ended. Thread: its own.
 */
public abstract class Worker {
    private static final Duration RETRY = Duration.ofMillis(50);
    private static final long END_MS = TimeUnit.MINUTES.toMillis(2);

    private final Thread thread;
    private final CompletableFuture<Void> end = new CompletableFuture<>(); // completed by the test
    private volatile boolean leaving; // written by the test, cleared by the thread
    private volatile Throwable failure; // written by the thread
    private volatile Exception lastLoss; // written by the thread

    protected Worker(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    public final void start() {
        thread.start();
    }

    /** Asks one that can to turn to the other node, though its connection is not lost. */
    final void leave() {
        leaving = true;
    }

    public final void end() {
        end.complete(null);
    }

    /** Waits for its end. */
    public final void join() {
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
            while (goesOn()) {
                try {
                    leaving = false;
                    work();
                } catch (JMSException | RingtableException | UncheckedIOException | IllegalStateException lost) {
                    lastLoss = lost;
                    Pace.pass(RETRY);
                }
            }
        } catch (Exception | Error e) {
            failure = e;
        }
    }

    /** Until it {@link #goesOn no longer}, or its connection is lost. */
    protected abstract void work() throws Exception;

    protected final boolean goesOn() {
        return !end.isDone();
    }

    /** Until it is ended, or this has happened. */
    protected final void awaitEndOr(CompletableFuture<?> event) {
        CompletableFuture.anyOf(end, event).handle((done, lost) -> null).join();
    }

    protected final void awaitEnd() {
        end.join();
    }

    final boolean isLeaving() {
        return leaving;
    }
}
