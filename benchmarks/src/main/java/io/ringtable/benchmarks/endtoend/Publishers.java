package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.driver.Driver;
import io.ringtable.benchmarks.endtoend.figure.Counts;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Publishes with all senders of a scenario, until it is closed or has published what it should.
 * <p>
 * A message carries its intended send time, so that a delayed publisher does not hide the delay. Thread: each publisher
 * has a thread of its own.
 */
final class Publishers implements AutoCloseable {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int SEED = 42;

    private final Scenario scenario;
    private final Counts counts;
    private final byte[] filling; // that no engine can compress
    private final AtomicLong left;
    private final List<Driver.Sender> senders = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped; // written by main, read by the publishers

    private Publishers(Scenario scenario, Counts counts, long messages) {
        this.scenario = scenario;
        this.counts = counts;
        this.filling = new byte[scenario.bodyBytes()];
        new Random(SEED).nextBytes(filling);
        this.left = new AtomicLong(messages);
    }

    static Publishers start(Scenario scenario, Driver driver, Counts counts, long messages) {
        Publishers publishers = new Publishers(scenario, counts, messages);
        for (int i = 0; i < scenario.producers(); i++) {
            Driver.Sender sender = driver.sender(scenario.destination(i));
            publishers.senders.add(sender);
            Thread thread = new Thread(() -> publishers.publish(sender), "publisher-" + i);
            publishers.threads.add(thread);
            thread.start();
        }
        return publishers;
    }

    private void publish(Driver.Sender sender) {
        try {
            long interval = scenario.rate() == 0 ? 0 : SECOND * scenario.producers() / scenario.rate();
            long intended = System.nanoTime();
            while (!stopped && left.getAndDecrement() > 0) {
                long now = System.nanoTime();
                if (interval == 0) {
                    intended = now;
                } else if (intended > now) {
                    sender.flush();
                }
                for (long wait; (wait = intended - System.nanoTime()) > 0 && !stopped; ) {
                    LockSupport.parkNanos(wait);
                }
                publish(sender, intended);
                intended += interval;
            }
            sender.flush();
        } catch (RuntimeException | Error e) {
            if (!stopped) {
                counts.fail(e);
            }
        }
    }

    private void publish(Driver.Sender sender, long intended) {
        byte[] body = filling.clone();
        ByteBuffer.wrap(body).putLong(intended);
        counts.sent();
        if (scenario.waits()) {
            sender.sendAndWait(body);
            counts.accepted();
            counts.latency(intended);
        } else {
            sender.send(body, counts::accepted);
        }
    }

    /** Sends nothing more, and waits until everything has its outcome. */
    void finish() {
        stopped = true;
        join();
        counts.awaitOutcomes();
        senders.forEach(Driver.Sender::close);
    }

    private void join() {
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                LockSupport.parkNanos(SECOND / 1_000);
            }
        }
    }

    /** Stops at once: a publisher that is held back gets no outcome any more. */
    @Override
    public void close() {
        stopped = true;
        senders.forEach(Driver.Sender::close);
        join();
    }
}
