package io.ringtable.broker.amqp.transport;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Lets an event loop that is woken again and again for a little each sleep a moment instead, so that more arrives for each
 * wake-up: to be woken costs it and, on the same machine, whoever writes to it more than the frame that came. Network cards
 * do the same with their interrupts. A loop that has few events, such as those of one client that waits for each outcome,
 * is woken at once.
 * <p>
 * Thread: its event loop.
 */
public final class Coalescing implements SelectStrategy {
    private static final long SHORT_NANOS = 50_000;
    /** So many turns that follow each other soon make a busy loop. */
    private static final int BUSY = 32;
    /** After so many naps it is seen anew whether it is busy. */
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

    /** @param nap sleeps so many ns */
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
