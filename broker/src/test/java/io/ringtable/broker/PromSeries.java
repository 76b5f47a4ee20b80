package io.ringtable.broker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Holds the series that a broker shows to Prometheus, and judges what asks for them.
 *
 * @param labels of each series, by the name of its metric
 */
record PromSeries(Map<String, List<Map<String, String>>> labels) {
    /** Labels that Prometheus gives every series of a target. */
    private static final Set<String> OF_TARGET = Set.of("job", "instance");

    private static final Pattern SERIES = Pattern.compile("^([A-Za-z_:][\\w:]*)(?:\\{(.*)})? \\S+$");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** Reads what {@code /actuator/prometheus} answers, and adds what Prometheus knows by itself. */
    static PromSeries of(String scrape) {
        Map<String, List<Map<String, String>>> all = new HashMap<>();
        all.put("up", List.of(Map.of()));
        for (String line : scrape.lines().toList()) {
            Matcher series = SERIES.matcher(line);
            if (series.matches()) {
                Map<String, String> labels = new TreeMap<>();
                if (series.group(2) != null) {
                    LABEL.matcher(series.group(2)).results().forEach(each -> labels.put(each.group(1), each.group(2)));
                }
                all.computeIfAbsent(series.group(1), metric -> new ArrayList<>())
                        .add(labels);
            }
        }
        return new PromSeries(all);
    }

    /**
     * Returns what an expression asks for in vain: metrics, labels and values that do not exist.
     *
     * @param shown labels that a text about the result names
     */
    List<String> missing(String expression, Set<String> shown) {
        PromQuery query = PromQuery.of(expression);
        List<String> missing = new ArrayList<>();
        for (PromQuery.Selector selector : query.selectors()) {
            if (!labels.containsKey(selector.metric())) {
                missing.add("metric " + selector.metric());
                continue;
            }
            for (PromQuery.Condition condition : selector.conditions()) {
                if (!isMet(selector.metric(), condition)) {
                    missing.add(selector.metric() + " with " + condition);
                }
            }
        }
        query.joined().stream().filter(label -> !isKnown(query, label)).forEach(label -> missing.add("label " + label));
        shown.stream()
                .filter(label -> query.aggregated() == null
                        ? query.dropped().contains(label) || !isKnown(query, label)
                        : !query.aggregated().contains(label))
                .forEach(label -> missing.add("label " + label + " to show"));
        return missing;
    }

    /** Answers whether series that an expression asks for have the label. */
    boolean have(String label, String expression) {
        return PromQuery.of(expression).selectors().stream()
                .flatMap(selector -> labels.getOrDefault(selector.metric(), List.of()).stream())
                .anyMatch(series -> series.containsKey(label));
    }

    private boolean isMet(String metric, PromQuery.Condition condition) {
        if (OF_TARGET.contains(condition.label())) {
            return true;
        }
        return labels.get(metric).stream()
                .map(series -> series.get(condition.label()))
                .anyMatch(value -> value != null
                        && switch (condition.operator()) {
                            case "=" -> value.equals(condition.value());
                            case "=~" -> value.matches(condition.value());
                            default -> true; // the label is there
                        });
    }

    private boolean isKnown(PromQuery query, String label) {
        return OF_TARGET.contains(label)
                || query.selectors().stream()
                        .flatMap(selector -> labels.getOrDefault(selector.metric(), List.of()).stream())
                        .anyMatch(series -> series.containsKey(label));
    }
}
