package io.ringtable.benchmarks.endtoend.naive;

import io.ringtable.benchmarks.endtoend.driver.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Deletes the first rows, hands their bodies over and commits, so that a consumer that ends in between loses nothing.
 * Thread: its own, until main closes it.
 */
final class NaiveReceiver implements Driver.Receiver, Runnable {
    /** Stands in place of a subscriber's number for the consumers of a queue. */
    static final int QUEUE = 0;

    private final NaiveSession session;
    private final PreparedStatement pop;
    private final int subscriber;
    private final int batchMax;
    private final long pollNanos;
    private final Consumer<byte[]> onMessage;
    private final Consumer<Throwable> failed;
    private final Thread thread;
    private volatile boolean stopped; // written by main, read by the consumer

    /** Says what a consumer deletes. */
    record Pop(String sql, int subscriber, int batchMax) {}

    private NaiveReceiver(
            NaiveSession session, Pop pop, Duration poll, Consumer<byte[]> onMessage, Consumer<Throwable> failed) {
        this.session = session;
        this.pop = session.prepare(pop.sql());
        this.subscriber = pop.subscriber();
        this.batchMax = pop.batchMax();
        this.pollNanos = poll.toNanos();
        this.onMessage = onMessage;
        this.failed = failed;
        this.thread = new Thread(this, "naive-consumer-" + subscriber);
    }

    static NaiveReceiver start(
            NaiveSession session, Pop pop, Duration poll, Consumer<byte[]> onMessage, Consumer<Throwable> failed) {
        NaiveReceiver receiver = new NaiveReceiver(session, pop, poll, onMessage, failed);
        receiver.thread.start();
        return receiver;
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                if (session.transact(this::pop) == 0) {
                    LockSupport.parkNanos(pollNanos);
                }
            }
        } catch (RuntimeException | Error e) {
            failed.accept(e);
        } finally {
            session.close();
        }
    }

    /** Returns how many messages there were. */
    private int pop() throws SQLException {
        int next = 1;
        if (subscriber != QUEUE) {
            pop.setInt(next++, subscriber);
        }
        pop.setInt(next, batchMax);
        int popped = 0;
        try (ResultSet rows = pop.executeQuery()) {
            for (; rows.next(); popped++) {
                onMessage.accept(rows.getBytes(1));
            }
        }
        return popped;
    }

    /** Lets the transaction at hand end. */
    @Override
    public void close() {
        stopped = true;
        LockSupport.unpark(thread);
        while (thread.isAlive()) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}
