package io.ringtable.acceptance.greed;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** How long something took, by the nanosecond. */
record Latencies(long[] sorted) {
    static Latencies of(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Latencies(sorted);
    }

    double percentileMs(double share) {
        if (sorted.length == 0) {
            return 0;
        }
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted[Math.max(0, rank - 1)] / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.1f/%.1f/%.0f", percentileMs(0.5), percentileMs(0.99), percentileMs(1));
    }
}
