package io.ringtable.acceptance.freeze;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Reading until something named has happened. */
final class Patience {
    static final Duration MOST = Duration.ofSeconds(60);
    static final Duration TICK = Duration.ofMillis(100);

    private Patience() {}

    /** Takes turns until the condition holds; fails by its name when it does not hold in time. */
    static void until(String what, BooleanSupplier condition, Runnable turn) {
        long end = System.nanoTime() + MOST.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + MOST + ": " + what);
            }
            turn.run();
        }
    }
}
