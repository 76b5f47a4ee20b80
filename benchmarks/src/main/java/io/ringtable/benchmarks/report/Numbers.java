package io.ringtable.benchmarks.report;

import java.util.Arrays;
import java.util.Locale;

/** Computes order statistics and formats figures. Thread: any. */
public final class Numbers {
    private Numbers() {}

    public static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Returns the value below which the share lies, by nearest rank. */
    public static double percentile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted.length == 0
                ? Double.NaN
                : sorted[(int) Math.min(sorted.length - 1L, (long) (share * sorted.length))];
    }

    /**
     * Divides values that were measured side by side, pair by pair. Conditions that change from pair to pair do not
     * move the median of these ratios.
     */
    public static double[] ratios(double[] ones, double[] others) {
        if (ones.length != others.length) {
            throw new IllegalArgumentException(ones.length + " values and " + others.length + " do not make pairs");
        }
        double[] ratios = new double[ones.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ones[i] / others[i];
        }
        return ratios;
    }

    /**
     * Returns a lower bound of the median of all such values, with a confidence of 95 %, whatever their distribution
     * (the sign test). The bound is the largest value with so few below it that half of all values lie below with less
     * than 5 % likelihood. NaN for fewer than 5 values.
     */
    public static double medianAtLeast(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double ways = 1; // of choosing the values below
        double likely = Math.pow(0.5, sorted.length);
        double least = Double.NaN;
        for (int below = 0; below < sorted.length && likely <= 0.05; below++) {
            least = sorted[below];
            ways *= (double) (sorted.length - below) / (below + 1);
            likely += ways * Math.pow(0.5, sorted.length);
        }
        return least;
    }

    /** Formats a rate with three significant digits: such machines give no more. */
    public static String rate(double perSecond) {
        if (perSecond >= 100_000) {
            return String.format(Locale.ROOT, "%,.0f", Math.rint(perSecond / 1_000) * 1_000);
        }
        return String.format(Locale.ROOT, "%,.0f", perSecond >= 10_000 ? Math.rint(perSecond / 100) * 100 : perSecond);
    }

    public static String with(int digits, double value) {
        return String.format(Locale.ROOT, "%,." + digits + "f", value);
    }

    /** Formats any figure with three significant digits, and a whole number below 1,000 as it is. */
    public static String significant(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1_000) {
            return with(0, value);
        }
        int above = (int) Math.floor(Math.log10(Math.abs(value))) - 2; // the power of ten of the third digit
        if (above <= 0) {
            return with(-above, value);
        }
        double unit = Math.pow(10, above);
        return with(0, Math.rint(value / unit) * unit);
    }
}
