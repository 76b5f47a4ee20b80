package io.ringtable.benchmarks.endtoend.figure;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Counts what the clients of a load have done. Thread: any; main waits. */
public final class Counts {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long STANDSTILL_NANOS_MAX = TimeUnit.SECONDS.toNanos(120); // on a busy machine

    private final LongAdder sent = new LongAdder();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final Latencies latencies = new Latencies();
    private volatile Throwable failure; // written by a client, read by main

    public void sent() {
        sent.increment();
    }

    public void accepted() {
        accepted.increment();
    }

    public void received(byte[] body) {
        received.increment();
        latency(ByteBuffer.wrap(body).getLong());
    }

    public void latency(long intended) {
        latencies.add(System.nanoTime() - intended);
    }

    public void fail(Throwable cause) {
        failure = cause;
    }

    public long acceptedSoFar() {
        return accepted.sum();
    }

    public long receivedSoFar() {
        return received.sum();
    }

    public Latencies.Counted latencies() {
        return latencies.counted();
    }

    /** Waits until everything sent has its outcome. */
    public void awaitOutcomes() {
        await("outcomes", accepted::sum, sent.sum());
    }

    /** Waits for so many messages since the beginning. */
    public void awaitAccepted(long messages) {
        await("accepted messages", accepted::sum, messages);
    }

    public void awaitReceived(long messages) {
        await("received messages", received::sum, messages);
    }

    private void await(String what, LongSupplier count, long wanted) {
        long last = -1;
        long since = System.nanoTime();
        for (long now; (now = count.getAsLong()) < wanted; LockSupport.parkNanos(POLL_NANOS)) {
            requireClients();
            if (now != last) {
                last = now;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > STANDSTILL_NANOS_MAX) {
                throw new IllegalStateException("standstill at " + now + " of " + wanted + " " + what);
            }
        }
    }

    /** Fails if one of the clients has. */
    public void requireClients() {
        if (failure != null) {
            throw new IllegalStateException("a client failed", failure);
        }
    }
}
