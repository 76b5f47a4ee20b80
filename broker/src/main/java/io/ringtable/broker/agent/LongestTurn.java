package io.ringtable.broker.agent;

import java.util.concurrent.atomic.LongAccumulator;

/**
 * Holds the longest turn of a kind of thread since the last reading: the longest that other work on that thread waited.
 * <p>
 * Thread: any.
 */
public final class LongestTurn {
    private static final double NANOS = 1e9;

    private final LongAccumulator nanos = new LongAccumulator(Math::max, 0);

    /** Counts a turn. @param turn in ns */
    public void took(long turn) {
        if (turn > nanos.get()) {
            nanos.accumulate(turn);
        }
    }

    /** Returns the longest turn in s, and starts measuring again. */
    public double takeSeconds() {
        return nanos.getThenReset() / NANOS;
    }
}
