package io.ringtable.acceptance.patroni;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collects for how long publishers waited, and what became of the rate at the other shards. Thread: the test's. */
final class Report {
    private static final double MILLIS = 1e6; // ns

    private final Map<FailOver, List<Double>> pauses = new EnumMap<>(FailOver.class); // ms, behind Patroni
    private final Map<FailOver, List<Double>> pausesBeside = new EnumMap<>(FailOver.class);
    private final Map<FailOver, List<Double>> shares = new EnumMap<>(FailOver.class); // of the rate before

    /** Takes what a fail-over did. @return it in words */
    String take(
            FailOver kind,
            Map<String, Long> longestNanos,
            Set<String> behind,
            Set<String> beside,
            double before,
            double during) {
        double pause = longest(longestNanos, behind);
        double pauseBeside = longest(longestNanos, beside);
        pauses.computeIfAbsent(kind, none -> new ArrayList<>()).add(pause);
        pausesBeside.computeIfAbsent(kind, none -> new ArrayList<>()).add(pauseBeside);
        shares.computeIfAbsent(kind, none -> new ArrayList<>()).add(during / before);
        return String.format(
                "pause %,.0f ms; the others %.0f/s after %.0f/s (%.2f), longest pause %,.0f ms",
                pause, during, before, during / before, pauseBeside);
    }

    private static double longest(Map<String, Long> nanos, Set<String> producers) {
        return producers.stream().mapToLong(nanos::get).max().orElseThrow() / MILLIS;
    }

    /** Returns the median share of its rate that the other shards kept. */
    double medianShare() {
        return median(shares.values().stream().flatMap(List::stream).toList());
    }

    /** For people. */
    String table() {
        StringBuilder text = new StringBuilder(String.format(
                "%-10s %6s %16s %16s %20s %18s%n",
                "event", "count", "pause median ms", "pause worst ms", "others' worst ms", "others keep"));
        pauses.forEach((kind, all) -> text.append(String.format(
                "%-10s %6d %,16.0f %,16.0f %,20.0f %18.2f%n",
                kind,
                all.size(),
                median(all),
                Collections.max(all),
                Collections.max(pausesBeside.get(kind)),
                median(shares.get(kind)))));
        return text.append(String.format("the other shards keep %.2f of their rate in the median%n", medianShare()))
                .toString();
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
