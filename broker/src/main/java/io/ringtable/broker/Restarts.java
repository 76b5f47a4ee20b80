package io.ringtable.broker;

import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.RestartProperties;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.store.StoreFailure;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Decides whether and when a failed shard restarts: after a delay that doubles, and a bounded number of times in a row.
 * A row of failures ends once the shard has served without failing for {@link RestartProperties#resetAfter}. Time spent
 * in recovery or in delays does not count, so slow starts do not make the row endless.
 * <p>
 * Thread: housekeeper, and the keeper of the shard while it runs.
 */
final class Restarts {
    /** Means that no tries are left. */
    static final long NEVER = -1;

    private static final int DOUBLINGS_MAX = 30;

    private final RestartProperties settings;
    private final LongSupplier nanoTime;
    private int failures; // in the present row
    private long servingSince; // nanoTime
    private boolean serving;

    /**
     * Says what follows a failure.
     *
     * @param delayMs until the next try; {@link #NEVER} if there is none
     * @param what the failure, for people
     * @param text what follows, for people
     */
    record Verdict(Kind kind, long delayMs, String what, String text) {}

    /** Names what follows a failure. */
    enum Kind {
        /** Waits for a store that is away for a moment. The failure does not count. */
        STAND_BY,
        /** Restarts from the tables after the delay. */
        RESTART,
        /** Waits for an operator. */
        FAIL
    }

    Restarts(RestartProperties settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
    }

    /** Notes that the shard serves from now on. */
    void serving() {
        serving = true;
        servingSince = nanoTime.getAsLong();
    }

    /** Judges a failure to take or to read the shard. @param ofShard names the shard before a text */
    Verdict afterStart(Throwable failure, UnaryOperator<String> ofShard) {
        if (failure instanceof StoreFailure ofStore && ofStore.isPassing()) {
            String what = ofShard.apply(ofStore.getMessage());
            return new Verdict(Kind.STAND_BY, 0, what, what);
        }
        if (failure instanceof ConfigurationRefused) {
            return new Verdict(Kind.FAIL, NEVER, failure.getMessage(), failure.getMessage());
        }
        if (isOfTheTables(failure)) {
            String text = "RT-2319 another start would read the same from the tables: " + failure.getMessage();
            return new Verdict(Kind.FAIL, NEVER, text, text);
        }
        return afterServing(failure, ofShard);
    }

    /** Judges a failure of a shard that was served. @param ofShard names the shard before a text */
    Verdict afterServing(Throwable failure, UnaryOperator<String> ofShard) {
        long delayMs = failed();
        String what = ofShard.apply(
                failure instanceof ShardStopped || failure instanceof StoreFailure
                        ? failure.getMessage()
                        : failure.toString());
        return delayMs == NEVER
                ? new Verdict(
                        Kind.FAIL,
                        NEVER,
                        what,
                        "RT-2312 the broker gives up after " + failures + " failures in a row: " + what)
                : new Verdict(
                        Kind.RESTART,
                        delayMs,
                        what,
                        "RT-2311 the shard restarts from its tables in " + delayMs + " ms (failure " + failures
                                + " in a row, at most " + triesMax() + "): " + what);
    }

    /** Tells whether the tables are the cause: reading them again would fail in the same way. */
    private static boolean isOfTheTables(Throwable failure) {
        return failure instanceof StoreFailure ofStore
                        && (ofStore.kind() == StoreFailure.Kind.CORRUPT
                                || ofStore.kind() == StoreFailure.Kind.UNSUPPORTED)
                || failure instanceof ShardStopped ofRecovery && ofRecovery.next() == ShardStopped.Next.FAIL;
    }

    /** Counts a failure. @return ms until the next try, or {@link #NEVER} */
    long failed() {
        if (serving
                && nanoTime.getAsLong() - servingSince >= settings.resetAfter().toNanos()) {
            failures = 0;
        }
        serving = false;
        failures++;
        if (failures > settings.triesMax()) {
            return NEVER;
        }
        long delay = settings.delay().toMillis() << Math.min(DOUBLINGS_MAX, failures - 1);
        return Math.min(settings.delayMax().toMillis(), delay);
    }

    int failures() {
        return failures;
    }

    int triesMax() {
        return settings.triesMax();
    }
}
