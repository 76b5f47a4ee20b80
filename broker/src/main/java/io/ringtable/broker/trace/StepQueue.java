package io.ringtable.broker.trace;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.MpscAtomicArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps steps until its own thread writes them. Nobody wakes that thread: it looks every {@value #LOOK_MS} ms, so a
 * step costs its teller one offer to a queue.
 * <p>
 * Thread: any tells; {@code tracer} writes. Failure: a full queue drops steps, and a step that cannot be written is
 * lost; both count as dropped.
 */
public final class StepQueue implements MessageTraces, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StepQueue.class);
    /** Rare enough that the spans of one look keep each other's code and data in the processor's caches. */
    private static final int LOOK_MS = 100;
    /** The steps of 40,000 recorded messages per second between two looks, four for each. */
    private static final int CAPACITY = 16_384;

    private static final long CLOSE_MS = 5_000;

    private final StepWriter writer;
    private final MpscAtomicArrayQueue<TracedStep> queue = new MpscAtomicArrayQueue<>(CAPACITY);
    private final TraceBound bound;
    private final LongAdder dropped = new LongAdder();
    private final Thread thread = new Thread(this::run, "tracer");
    private boolean failureTold; // tracer's
    private volatile boolean closing;

    /**
     * Makes a queue and starts its thread.
     *
     * @param messagesPerSecond how many sampled messages are recorded in a second, 1 to 1,000,000
     */
    public StepQueue(StepWriter writer, int messagesPerSecond) {
        this.writer = Objects.requireNonNull(writer, "writer");
        this.bound = new TraceBound(messagesPerSecond, System::nanoTime);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public boolean isOn() {
        return true;
    }

    @Override
    public boolean admits() {
        return bound.admits();
    }

    @Override
    public long passedOver() {
        return bound.passedOver();
    }

    @Override
    public void ended(TracedStep step) {
        if (!queue.offer(step)) {
            dropped.increment();
        }
    }

    @Override
    public long dropped() {
        return dropped.sum();
    }

    private void run() {
        while (!closing) {
            writeAll();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MS));
        }
        writeAll();
    }

    private void writeAll() {
        for (TracedStep step; (step = queue.poll()) != null; ) {
            try {
                writer.write(step);
            } catch (RuntimeException failure) {
                failed(failure);
            }
        }
    }

    private void failed(RuntimeException failure) {
        dropped.increment();
        if (!failureTold) {
            failureTold = true;
            LOG.warn("RT-2501 a span cannot be made; ringtable_traces_dropped_total counts further ones", failure);
        }
    }

    /** Writes what has been told, and ends the thread; waits at most {@value #CLOSE_MS} ms for both. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            thread.join(CLOSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
