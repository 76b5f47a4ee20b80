package io.ringtable.acceptance.harness;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets time pass where time itself is the subject: a load's rate, a kill's moment, the length of an attack, a freeze or
 * a rest. It is the one place of these tests that waits by the clock. A test that waits for somebody else's action
 * waits for the signal of it.
 * <p>
 * Thread: any.
 */
public final class Pace {
    private Pace() {}

    /** Returns when the duration is over, not before. */
    public static void pass(Duration duration) {
        until(System.nanoTime() + duration.toNanos());
    }

    /** Returns at this time of {@link System#nanoTime}, or at once if it is over. */
    public static void until(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            if (Thread.interrupted()) {
                throw new IllegalStateException("interrupted while time passed");
            }
            LockSupport.parkNanos(left);
        }
    }
}
