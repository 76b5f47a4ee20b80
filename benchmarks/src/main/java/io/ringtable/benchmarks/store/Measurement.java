package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.report.Numbers;
import java.util.Arrays;

/**
 * Holds the figures of one stretch of a workload.
 *
 * @param messagesPerSecond published and settled
 * @param logBytesPerMessage of everything that the engine logged meanwhile
 * @param cpuMicrosPerMessage processor time of this process and of a server that it started
 * @param commitMedianMicros of one commit, clearing of the ring included
 * @param commitP99Micros as the median
 */
record Measurement(
        double messagesPerSecond,
        double logBytesPerMessage,
        double cpuMicrosPerMessage,
        double commitMedianMicros,
        double commitP99Micros) {

    /** Commits on the caller's thread until the time is over. */
    static Measurement of(Workload workload, double seconds) {
        double[] micros = new double[4096];
        int commits = 0;
        long messages = 0;
        long logBefore = workload.logBytes();
        double cpuBefore = workload.cpuSeconds();
        long begun = System.nanoTime();
        long end = begun + (long) (seconds * 1e9);
        long now = begun;
        while (now < end) {
            messages += workload.commit();
            long before = now;
            now = System.nanoTime();
            if (commits == micros.length) {
                micros = Arrays.copyOf(micros, 2 * commits);
            }
            micros[commits++] = (now - before) / 1e3;
        }
        double cpu = workload.cpuSeconds() - cpuBefore;
        long log = workload.logBytes() - logBefore;
        double[] all = Arrays.copyOf(micros, commits);
        return new Measurement(
                messages * 1e9 / (now - begun),
                (double) log / messages,
                cpu * 1e6 / messages,
                Numbers.percentile(all, 0.5),
                Numbers.percentile(all, 0.99));
    }
}
