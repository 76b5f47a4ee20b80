package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.figure.Figure;
import io.ringtable.benchmarks.endtoend.figure.Figures;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.report.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Gathers the figures of all rounds and compares them. Thread: main. */
final class Findings {
    private record Case(String part, Broker broker) {}

    private final Map<Case, List<Figures>> figures = new LinkedHashMap<>();

    /** Adds the figures of a round; {@code part} is the scenario's name with that of its part. */
    void add(String part, Broker broker, Figures found) {
        figures.computeIfAbsent(new Case(part, broker), key -> new ArrayList<>())
                .add(found);
    }

    /** Returns the median of the rounds; NaN if there were none. */
    double median(String part, Broker broker, Figure figure) {
        List<Figures> found = figures.getOrDefault(new Case(part, broker), List.of());
        return found.isEmpty() ? Double.NaN : median(found, figure);
    }

    /** Returns the medians of the rounds. */
    Table table() {
        Table table = new Table(
                "scenario",
                "broker",
                "accepted/s",
                "received/s",
                "slowest",
                "latency ms",
                "p99 ms",
                "max ms",
                "CPU us/msg",
                "clients",
                "broker",
                "database",
                "broker B/msg",
                "clients alone/s",
                "other CPUs",
                "msg/flush",
                "flush ms",
                "broker MB",
                "database MB",
                "retries/s");
        figures.forEach((tried, found) -> table.row(
                tried.part(),
                tried.broker().label(),
                Numbers.rate(median(found, Figure.ACCEPTED_PER_S)),
                Numbers.rate(median(found, Figure.RECEIVED_PER_S)),
                Numbers.rate(Numbers.percentile(values(found, slower(found)), 0)),
                Numbers.with(2, median(found, Figure.LATENCY_MEDIAN_MS)),
                Numbers.with(2, median(found, Figure.LATENCY_P99_MS)),
                Numbers.with(0, median(found, Figure.LATENCY_MAX_MS)),
                Numbers.with(1, median(found, Figure.CPU_US_PER_MESSAGE)),
                Numbers.with(1, median(found, Figure.CLIENT_CPU_US_PER_MESSAGE)),
                Numbers.with(1, median(found, Figure.BROKER_CPU_US_PER_MESSAGE)),
                Numbers.with(1, median(found, Figure.DATABASE_CPU_US_PER_MESSAGE)),
                Numbers.rate(median(found, Figure.BROKER_BYTES_PER_MESSAGE)),
                Numbers.rate(median(found, Figure.CLIENTS_ALONE_PER_S)),
                Numbers.with(2, median(found, Figure.OTHER_CPUS)),
                Numbers.with(1, median(found, Figure.MESSAGES_PER_FLUSH)),
                Numbers.with(2, median(found, Figure.FLUSH_MS)),
                Numbers.with(0, median(found, Figure.BROKER_MB)),
                Numbers.with(0, median(found, Figure.DATABASE_MB)),
                Numbers.with(1, median(found, Figure.RETRIES_PER_S))));
        return table;
    }

    /** Returns the rate that says something: a drain accepts nothing. */
    private static Figure slower(List<Figures> found) {
        return median(found, Figure.ACCEPTED_PER_S) > 0 ? Figure.ACCEPTED_PER_S : Figure.RECEIVED_PER_S;
    }

    private static double median(List<Figures> found, Figure figure) {
        return Numbers.median(values(found, figure));
    }

    /** Returns the ratios of the two, round by round, for what both have run as often. */
    Table ratios(Broker one, Broker other) {
        Table table = new Table(
                one.label() + " : " + other.label(),
                "accepted/s",
                "from",
                "to",
                "at least",
                "received/s",
                "at least",
                "latency",
                "p99",
                "CPU us/msg",
                "broker CPU us/msg",
                "broker B/msg",
                "client CPU us/msg");
        figures.forEach((tried, ones) -> {
            List<Figures> others = figures.getOrDefault(new Case(tried.part(), other), List.of());
            if (tried.broker() == one && ones.size() == others.size()) {
                double[] accepted = ratios(ones, others, Figure.ACCEPTED_PER_S);
                double[] received = ratios(ones, others, Figure.RECEIVED_PER_S);
                table.row(
                        tried.part(),
                        Numbers.with(2, Numbers.median(accepted)),
                        Numbers.with(2, Numbers.percentile(accepted, 0)),
                        Numbers.with(2, Numbers.percentile(accepted, 1)),
                        Numbers.with(3, Numbers.medianAtLeast(accepted)),
                        Numbers.with(2, Numbers.median(received)),
                        Numbers.with(3, Numbers.medianAtLeast(received)),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Figure.LATENCY_MEDIAN_MS))),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Figure.LATENCY_P99_MS))),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Figure.CPU_US_PER_MESSAGE))),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Figure.BROKER_CPU_US_PER_MESSAGE))),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Figure.BROKER_BYTES_PER_MESSAGE))),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Figure.CLIENT_CPU_US_PER_MESSAGE))));
            }
        });
        return table;
    }

    private static double[] ratios(List<Figures> ones, List<Figures> others, Figure figure) {
        return Numbers.ratios(values(ones, figure), values(others, figure));
    }

    private static double[] values(List<Figures> found, Figure figure) {
        return found.stream().mapToDouble(figures -> figures.get(figure)).toArray();
    }
}
