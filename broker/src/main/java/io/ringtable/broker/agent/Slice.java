package io.ringtable.broker.agent;

import java.util.function.LongSupplier;

/**
 * Limits how much of a turn one piece of work may take before the other work on its thread. The limit is a number of
 * steps and a time, since a single step may take long.
 * <p>
 * Thread: its agent's.
 */
public final class Slice {
    private static final int STEPS_PER_LOOK = 16; // at the clock
    private static final int BYTES_PER_STEP = 1_024;

    private final int stepsMax;
    private final long ms;
    private final LongSupplier clockMs;
    private int steps;
    private int unseen; // steps since the last look at the clock
    private long until;
    private boolean over;

    /**
     * Makes a slice, which is over before its first {@link #begin}.
     *
     * @param stepsMax at least 1
     * @param ms at least 1
     * @param clockMs in ms, from any origin
     */
    public Slice(int stepsMax, long ms, LongSupplier clockMs) {
        this.stepsMax = stepsMax;
        this.ms = ms;
        this.clockMs = clockMs;
    }

    public void begin() {
        steps = 0;
        unseen = 0;
        over = false;
        until = clockMs.getAsLong() + ms;
    }

    public void step() {
        take(1);
    }

    /** Counts the steps of looking through a message: the larger it is, the longer that may take. */
    public void stepThrough(int bytes) {
        take(1 + bytes / BYTES_PER_STEP);
    }

    private void take(int more) {
        steps += more;
        unseen += more;
        if (unseen >= STEPS_PER_LOOK) {
            unseen = 0;
            over |= clockMs.getAsLong() >= until;
        }
    }

    public boolean isOver() {
        return over || steps >= stepsMax;
    }
}
