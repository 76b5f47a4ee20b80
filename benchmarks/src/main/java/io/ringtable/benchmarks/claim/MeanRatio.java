package io.ringtable.benchmarks.claim;

import java.util.Arrays;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;

/**
 * Holds the geometric mean of ratios with its 95 % interval, which is Student's for the mean of their logarithms.
 * <p>
 * Thread: any. Failure: fewer than two ratios have no interval, and are refused.
 */
record MeanRatio(double mean, double low, double high) {
    private static final double CONFIDENCE = 0.95;

    /** Returns the mean of positive ratios. */
    static MeanRatio of(double[] ratios) {
        if (ratios.length < 2) {
            throw new IllegalArgumentException(ratios.length + " ratios have no interval");
        }
        double[] logs = Arrays.stream(ratios).map(Math::log).toArray();
        double mean = StatUtils.mean(logs);
        double quantile = new TDistribution(null, logs.length - 1).inverseCumulativeProbability((1 + CONFIDENCE) / 2);
        double half = quantile * Math.sqrt(StatUtils.variance(logs) / logs.length);
        return new MeanRatio(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half));
    }
}
