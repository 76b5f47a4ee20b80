package io.ringtable.acceptance.crash;

import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.Pace;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One connection with one transacted session, made anew when it is lost, until it is ended.
 * <p>
 * Thread: its own.
 */
abstract class Client {
    private static final Duration RETRY = Duration.ofMillis(500); // a start has the processors to itself

    private final String url;
    private final Thread thread = new Thread(this::run, getClass().getSimpleName());
    private volatile boolean ended; // written by the test
    private volatile RuntimeException failure; // written by its thread

    Client(String url) {
        this.url = url;
    }

    void start() {
        thread.start();
    }

    /** After its present transaction. */
    void end() {
        ended = true;
        try {
            thread.join(TimeUnit.MINUTES.toMillis(2));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (failure != null) {
            throw failure;
        }
        if (thread.isAlive()) {
            throw new AssertionError(thread.getName() + " does not end");
        }
    }

    boolean isEnded() {
        return ended;
    }

    private void run() {
        try {
            while (!ended) {
                try (Connection connection = Jms.factory(url).createConnection()) {
                    connection.start();
                    work(connection.createSession(Session.SESSION_TRANSACTED));
                } catch (JMSException lost) {
                    Pace.pass(RETRY);
                }
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** Until it is ended or the connection is lost. */
    abstract void work(Session session) throws JMSException;
}
