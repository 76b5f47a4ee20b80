package io.ringtable.benchmarks.endtoend.figure;

import java.util.concurrent.atomic.AtomicLongArray;

/** Holds a histogram of durations, with buckets of about 3 %. Thread: any. */
public final class Latencies {
    private static final int STEPS = 32; // buckets per doubling
    private static final int STEP_BITS = 5;

    private final AtomicLongArray counts = new AtomicLongArray(64 * STEPS);

    void add(long nanos) {
        counts.incrementAndGet(bucket(Math.max(STEPS, nanos)));
    }

    private static int bucket(long nanos) {
        int exponent = 63 - Long.numberOfLeadingZeros(nanos);
        return exponent * STEPS + (int) (nanos >>> exponent - STEP_BITS & STEPS - 1);
    }

    /** Returns what has been counted so far. */
    Counted counted() {
        long[] copy = new long[counts.length()];
        for (int i = 0; i < copy.length; i++) {
            copy[i] = counts.get(i);
        }
        return new Counted(copy);
    }

    /** Holds the counts of a moment, or those between two moments. Immutable. */
    public static final class Counted {
        private final long[] counts;

        private Counted(long[] counts) {
            this.counts = counts;
        }

        Counted since(Counted earlier) {
            long[] difference = new long[counts.length];
            for (int i = 0; i < counts.length; i++) {
                difference[i] = counts[i] - earlier.counts[i];
            }
            return new Counted(difference);
        }

        /** Returns the milliseconds below which the share of the durations lies; NaN without any. */
        double millis(double share) {
            long total = 0;
            for (long count : counts) {
                total += count;
            }
            long left = (long) Math.ceil(total * share);
            for (int i = 0; i < counts.length; i++) {
                left -= counts[i];
                if (left <= 0 && total > 0) {
                    int exponent = i / STEPS;
                    return (STEPS + i % STEPS + 0.5) * Math.pow(2, exponent - STEP_BITS) / 1e6;
                }
            }
            return Double.NaN;
        }
    }
}
