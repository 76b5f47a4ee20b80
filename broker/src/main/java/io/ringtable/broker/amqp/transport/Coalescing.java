package io.ringtable.broker.amqp.transport;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Lets an event loop sleep for a moment when small events wake it again and again, so that more arrives for each
 * wake-up. A wake-up costs the loop more than the frame that came, and on the same machine the writing process too.
 * Network cards do the same with their interrupts. A loop with few events, such as those of one client that waits for
 * each outcome, wakes immediately.
 * <p>
 * Thread: its event loop.
 */
public final class Coalescing implements SelectStrategy {
    private static final long SHORT_NANOS = 50_000;
    /** Sets how many turns in quick succession make a busy loop. */
    private static final int BUSY = 32;
    /** Sets after how many naps the loop checks again whether it is busy. */
    private static final int NAPS = 256;

    private static final long NAP_NANOS = 100_000;

    private final LongSupplier nanoTime;
    private final LongConsumer nap;
    private long lastTurn;
    private int soon;
    private int napsLeft;

    public Coalescing() {
        this(System::nanoTime, LockSupport::parkNanos);
    }

    /** Makes a strategy with a clock of the caller's. @param nap sleeps for the given ns */
    public Coalescing(LongSupplier nanoTime, LongConsumer nap) {
        this.nanoTime = nanoTime;
        this.nap = nap;
        this.lastTurn = nanoTime.getAsLong();
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (hasTasks) {
            return selectNow.get();
        }
        if (napsLeft == 0 && !isBusy()) {
            return SelectStrategy.SELECT;
        }
        nap.accept(NAP_NANOS);
        int ready = selectNow.get();
        napsLeft = ready == 0 ? 0 : napsLeft == 0 ? NAPS : napsLeft - 1;
        soon = 0;
        lastTurn = nanoTime.getAsLong();
        return ready == 0 ? SelectStrategy.SELECT : ready;
    }

    private boolean isBusy() {
        long now = nanoTime.getAsLong();
        soon = now - lastTurn < SHORT_NANOS ? soon + 1 : 0;
        lastTurn = now;
        return soon >= BUSY;
    }
}
