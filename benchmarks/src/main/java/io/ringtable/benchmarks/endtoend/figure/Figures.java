package io.ringtable.benchmarks.endtoend.figure;

import java.util.EnumMap;
import java.util.Map;

/** Holds what a watch saw. Immutable once made. Thread: any. */
public final class Figures {
    private final Map<Figure, Double> values = new EnumMap<>(Figure.class);

    private Figures with(Figure figure, double value) {
        values.put(figure, value);
        return this;
    }

    /** Returns the figure; NaN if nobody has told it. */
    public double get(Figure figure) {
        return values.getOrDefault(figure, Double.NaN);
    }

    /** Returns the figures of what lay between two readings. */
    public static Figures between(Reading before, Reading after) {
        double seconds = (after.nanos() - before.nanos()) / 1e9;
        double accepted = after.accepted() - before.accepted();
        double received = after.received() - before.received();
        double messages = accepted > 0 ? accepted : received;
        double client = after.clientCpu() - before.clientCpu();
        double broker = after.brokerCpu() - before.brokerCpu();
        double database = after.databaseCpu() - before.databaseCpu();
        double all = client + broker + database;
        Latencies.Counted latencies = after.latencies().since(before.latencies());
        double flushes = risen(before, after, "ringtable_flush_messages_count");
        double flushSeconds = risen(before, after, "ringtable_flush_seconds_sum");
        double clientMicros = client * 1e6 / messages;
        return new Figures()
                .with(Figure.SECONDS, seconds)
                .with(Figure.ACCEPTED_PER_S, accepted / seconds)
                .with(Figure.RECEIVED_PER_S, received / seconds)
                .with(Figure.LATENCY_MEDIAN_MS, latencies.millis(0.5))
                .with(Figure.LATENCY_P99_MS, latencies.millis(0.99))
                .with(Figure.LATENCY_MAX_MS, latencies.millis(1))
                .with(Figure.WAITING, after.waiting())
                .with(Figure.CPU_US_PER_MESSAGE, all * 1e6 / messages)
                .with(Figure.CLIENT_CPU_US_PER_MESSAGE, clientMicros)
                .with(Figure.BROKER_CPU_US_PER_MESSAGE, broker * 1e6 / messages)
                .with(Figure.DATABASE_CPU_US_PER_MESSAGE, database * 1e6 / messages)
                .with(Figure.COMMITTER_CPU_US_PER_MESSAGE, threads(before, after, "committer") * 1e6 / messages)
                .with(Figure.DISPATCHER_CPU_US_PER_MESSAGE, threads(before, after, "dispatcher") * 1e6 / messages)
                .with(Figure.BROKER_CPUS, broker / seconds)
                .with(Figure.OTHER_CPUS, (after.machineCpu() - before.machineCpu() - all) / seconds)
                .with(Figure.CLIENTS_ALONE_PER_S, clientsAlonePerSecond(clientMicros))
                .with(Figure.CLIENT_MB, after.clientMegabytes())
                .with(Figure.BROKER_MB, after.brokerMegabytes())
                .with(Figure.DATABASE_MB, after.databaseMegabytes())
                .with(
                        Figure.BROKER_BYTES_PER_MESSAGE,
                        risen(before, after, "jvm_gc_memory_allocated_bytes_total") / messages)
                .with(Figure.FLUSHES_PER_S, flushes / seconds)
                .with(Figure.MESSAGES_PER_FLUSH, risen(before, after, "ringtable_flush_messages_sum") / flushes)
                .with(Figure.FLUSH_MS, flushSeconds * 1e3 / risen(before, after, "ringtable_flush_seconds_count"))
                .with(Figure.RETRIES_PER_S, (after.retries() - before.retries()) / seconds);
    }

    /** Returns what the clients reach with all processors for themselves. */
    static double clientsAlonePerSecond(double clientMicros) {
        return Runtime.getRuntime().availableProcessors() * 1e6 / clientMicros;
    }

    private static double threads(Reading before, Reading after, String name) {
        return after.brokerThreads().getOrDefault(name, Double.NaN)
                - before.brokerThreads().getOrDefault(name, Double.NaN);
    }

    private static double risen(Reading before, Reading after, String metric) {
        return after.metrics().getOrDefault(metric, Double.NaN)
                - before.metrics().getOrDefault(metric, 0.0);
    }
}
