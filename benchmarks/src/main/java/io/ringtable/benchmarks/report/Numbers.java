package io.ringtable.benchmarks.report;

import java.util.Arrays;
import java.util.Locale;

/** Order statistics and how figures are written. Thread: any. */
public final class Numbers {
    private Numbers() {}

    public static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** The value below which the share lies; nearest rank. */
    public static double percentile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted.length == 0
                ? Double.NaN
                : sorted[(int) Math.min(sorted.length - 1L, (long) (share * sorted.length))];
    }

    /** Of what was measured side by side, pair by pair: the median of these does not mind what changed from pair to pair. */
    public static double[] ratios(double[] ones, double[] others) {
        if (ones.length != others.length) {
            throw new IllegalArgumentException(ones.length + " values and " + others.length + " are no pairs");
        }
        double[] ratios = new double[ones.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ones[i] / others[i];
        }
        return ratios;
    }

    /**
     * What the median of all such values is not below, with a confidence of 95 %, whatever their distribution: the largest of them
     * below which so few lie that it is less than 5 % likely if half of all do (the sign test). NaN of fewer than 5.
     */
    public static double medianAtLeast(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double ways = 1; // to choose as many as are below
        double likely = Math.pow(0.5, sorted.length);
        double least = Double.NaN;
        for (int below = 0; below < sorted.length && likely <= 0.05; below++) {
            least = sorted[below];
            ways *= (double) (sorted.length - below) / (below + 1);
            likely += ways * Math.pow(0.5, sorted.length);
        }
        return least;
    }

    /** Three significant digits are all that such machines give. */
    public static String rate(double perSecond) {
        if (perSecond >= 100_000) {
            return String.format(Locale.ROOT, "%,.0f", Math.rint(perSecond / 1_000) * 1_000);
        }
        return String.format(Locale.ROOT, "%,.0f", perSecond >= 10_000 ? Math.rint(perSecond / 100) * 100 : perSecond);
    }

    public static String with(int digits, double value) {
        return String.format(Locale.ROOT, "%,." + digits + "f", value);
    }
}
