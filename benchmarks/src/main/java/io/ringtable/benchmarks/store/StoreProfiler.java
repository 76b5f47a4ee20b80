package io.ringtable.benchmarks.store;

import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Adds two figures to each iteration: log bytes per message, and the disk's raw sync beside it.
 * <p>
 * Thread: the harness', while the benchmark's rests.
 */
public final class StoreProfiler implements InternalProfiler {
    // JMH makes the profiler, and the benchmark knows the figures. Its last iteration ends after the workload is
    // closed, so the two meet in this field. Written by the benchmark's thread, read by the harness'.
    private static volatile Figures latest;

    private record Figures(double logBytesPerMessage, double rawSyncMicros) {}

    /** Takes the figures of an iteration from the benchmark, at the iteration's end. */
    static void iterated(double logBytesPerMessage, double rawSyncMicros) {
        latest = new Figures(logBytesPerMessage, rawSyncMicros);
    }

    @Override
    public String getDescription() {
        return "Log bytes per message, and the disk's raw sync beside each iteration";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        latest = null;
    }

    @Override
    @SuppressWarnings("rawtypes") // JMH's own signature
    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        Figures figures = latest;
        if (figures == null) {
            return List.of(); // a benchmark that has none
        }
        return List.of(
                new ScalarResult("logBytesPerMessage", figures.logBytesPerMessage(), "B", AggregationPolicy.AVG),
                new ScalarResult("rawSyncMicros", figures.rawSyncMicros(), "us", AggregationPolicy.AVG));
    }
}
