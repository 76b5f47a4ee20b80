package io.ringtable.broker.agent;

import java.util.concurrent.atomic.LongAccumulator;

/**
 * The longest turn of a kind of thread since it was asked for last: what everybody else on that thread waited at most.
 * <p>
 * Thread: any.
 */
public final class LongestTurn {
    private static final double NANOS = 1e9;

    private final LongAccumulator nanos = new LongAccumulator(Math::max, 0);

    /** @param turn in ns */
    public void took(long turn) {
        if (turn > nanos.get()) {
            nanos.accumulate(turn);
        }
    }

    /** In s; the next longest counts from now on. */
    public double takeSeconds() {
        return nanos.getThenReset() / NANOS;
    }
}
