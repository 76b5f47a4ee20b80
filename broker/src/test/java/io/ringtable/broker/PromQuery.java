package io.ringtable.broker;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Names what an expression of Prometheus asks for. The reader knows no more of the language than rules and dashboard
 * need: {@code promtool} says whether an expression is well formed.
 *
 * @param aggregated labels that are left by an aggregation; null if there is none with {@code by}
 * @param joined labels by which series are brought together
 * @param dropped labels that an aggregation {@code without} them takes away
 */
record PromQuery(List<Selector> selectors, Set<String> aggregated, Set<String> joined, Set<String> dropped) {
    private static final Set<String> WORDS = Set.of("and", "or", "unless", "bool", "offset");
    private static final Pattern GROUPING = Pattern.compile("\\b(by|without|on|ignoring)\\s*\\(([^)]*)\\)");
    private static final Pattern RANGE = Pattern.compile("\\[[^]]*]");
    private static final Pattern SELECTOR =
            Pattern.compile("(?<![\\w:.\"$])([A-Za-z_:][\\w:]*+)(?!\\s*\\()(?:\\{((?:[^}\"]|\"[^\"]*\")*)})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

    /** Holds a metric with the conditions on its labels. */
    record Selector(String metric, List<Condition> conditions) {}

    /** Holds a condition on a label. @param operator {@code =}, {@code !=}, {@code =~} or {@code !~} */
    record Condition(String label, String operator, String value) {}

    static PromQuery of(String expression) {
        Set<String> aggregated = null;
        Set<String> joined = new LinkedHashSet<>();
        Set<String> dropped = new LinkedHashSet<>();
        for (MatchResult grouping : GROUPING.matcher(expression).results().toList()) {
            List<String> labels = List.of(grouping.group(2).strip().split("\\s*,\\s*"));
            joined.addAll(labels);
            if (grouping.group(1).equals("by")) {
                aggregated = aggregated == null ? new LinkedHashSet<>() : aggregated;
                aggregated.addAll(labels);
            } else if (grouping.group(1).equals("without")) {
                dropped.addAll(labels);
            }
        }
        String rest =
                RANGE.matcher(GROUPING.matcher(expression).replaceAll(" ")).replaceAll(" ");
        List<Selector> selectors = new ArrayList<>();
        for (MatchResult selector : SELECTOR.matcher(rest).results().toList()) {
            if (!WORDS.contains(selector.group(1))) {
                selectors.add(new Selector(selector.group(1), conditions(selector.group(2))));
            }
        }
        return new PromQuery(selectors, aggregated, joined, dropped);
    }

    private static List<Condition> conditions(String braces) {
        return braces == null
                ? List.of()
                : MATCHER.matcher(braces)
                        .results()
                        .map(each -> new Condition(each.group(1), each.group(2), each.group(3)))
                        .toList();
    }
}
