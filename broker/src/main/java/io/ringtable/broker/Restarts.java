package io.ringtable.broker;

import io.ringtable.broker.config.RestartProperties;
import java.util.function.LongSupplier;

/**
 * Decides whether and when a failed shard restarts: after a delay that doubles, and a bounded number of times in a row.
 * A row of failures ends once the shard has served without failing for {@link RestartProperties#resetAfter}. Time spent
 * in recovery or in delays does not count, so slow starts do not make the row endless.
 * <p>
 * Thread: housekeeper.
 */
final class Restarts {
    /** Means that no tries are left. */
    static final long NEVER = -1;

    private static final int DOUBLINGS_MAX = 30;

    private final RestartProperties settings;
    private final LongSupplier nanoTime;
    private int failures; // in the present row
    private long total; // since the broker was made
    private long servingSince; // nanoTime
    private boolean serving;

    Restarts(RestartProperties settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
    }

    /** Notes that the shard serves from now on. */
    void serving() {
        serving = true;
        servingSince = nanoTime.getAsLong();
    }

    /** Counts a failure. @return ms until the next try, or {@link #NEVER} */
    long failed() {
        if (serving
                && nanoTime.getAsLong() - servingSince >= settings.resetAfter().toNanos()) {
            failures = 0;
        }
        serving = false;
        failures++;
        total++;
        if (failures > settings.triesMax()) {
            return NEVER;
        }
        long delay = settings.delay().toMillis() << Math.min(DOUBLINGS_MAX, failures - 1);
        return Math.min(settings.delayMax().toMillis(), delay);
    }

    int failures() {
        return failures;
    }

    long total() {
        return total;
    }

    int triesMax() {
        return settings.triesMax();
    }
}
