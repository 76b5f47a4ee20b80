package io.ringtable.client.internal.connection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Turns durations into what waiting methods take. */
public final class Timeouts {

    private Timeouts() {}

    /** Returns the nanoseconds of a duration, however long it is. */
    public static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return TimeUnit.DAYS.toNanos(365L * 100);
        }
    }
}
