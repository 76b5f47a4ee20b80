package io.ringtable.benchmarks.endtoend.figure;

import java.util.Map;

/**
 * Holds the counters of a moment.
 *
 * @param waiting accepted and not yet received by all that take messages; NaN if nobody takes any
 * @param clientCpu seconds of processor time, as the other three
 * @param machineCpu that of all processes
 * @param brokerThreads that of the broker's threads, by name; empty where it cannot be seen
 */
public record Reading(
        long nanos,
        long accepted,
        long received,
        double waiting,
        Latencies.Counted latencies,
        long retries,
        double clientCpu,
        double brokerCpu,
        double databaseCpu,
        double machineCpu,
        Map<String, Double> brokerThreads,
        double clientMegabytes,
        double brokerMegabytes,
        double databaseMegabytes,
        Map<String, Double> metrics) {}
