package io.ringtable.acceptance.fairness;

import java.util.Arrays;
import java.util.Locale;

/**
 * Holds the median of the measured values, and the two values between which the true median lies.
 * <p>
 * Each value lies below the true median with a chance of one half, however the values are distributed. The chance that
 * fewer than k of them lie below is therefore a sum of binomial coefficients. The interval needs no assumption and no
 * random numbers. It reaches from the k-th smallest to the k-th largest value, k as large as the confidence allows.
 *
 * @param low negative infinity where there are too few values to tell: below six for 95 %
 * @param high positive infinity likewise
 * @param confidence of exactly this interval, at least what was asked for
 */
record MedianInterval(double median, double low, double high, double confidence) {
    private static final double CONFIDENCE = 0.95;

    /** Says where an interval lies beside a bound. */
    enum Verdict {
        /** All of it lies at or above. */
        KEPT,
        /** The bound lies in it: more values are needed. */
        UNDECIDED,
        /** All of it lies below. */
        BROKEN
    }

    static MedianInterval of(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        double median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;

        double coefficient = Math.pow(0.5, n); // chance that exactly k values lie below the true median
        double outside = 0; // chance that at most k - 1 do
        int k = 0;
        while (outside + coefficient <= (1 - CONFIDENCE) / 2) {
            outside += coefficient;
            k++;
            coefficient *= (n - k + 1.0) / k;
        }
        return k == 0
                ? new MedianInterval(median, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, 1)
                : new MedianInterval(median, sorted[k - 1], sorted[n - k], 1 - 2 * outside);
    }

    Verdict about(double bound) {
        if (low >= bound) {
            return Verdict.KEPT;
        }
        return high < bound ? Verdict.BROKEN : Verdict.UNDECIDED;
    }

    @Override
    public String toString() {
        return low == Double.NEGATIVE_INFINITY
                ? String.format(Locale.ROOT, "median %.3f, too few for an interval", median)
                : String.format(
                        Locale.ROOT,
                        "median %.3f, with %.1f %% confidence between %.3f and %.3f",
                        median,
                        confidence * 100,
                        low,
                        high);
    }
}
