package io.ringtable.broker.admin.console;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Puts parameters together. Thread: any. */
final class Queries {
    private Queries() {}

    /** Returns the parameters that are given, in order. @param namesAndValues in turn; a value may be null */
    static Map<String, String> of(String... namesAndValues) {
        Map<String, String> query = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null && !namesAndValues[i + 1].isBlank()) {
                query.put(namesAndValues[i], namesAndValues[i + 1].strip());
            }
        }
        return query;
    }

    /** Returns what a field offers. @param valuesAndTexts in turn */
    static Map<String, String> choices(String... valuesAndTexts) {
        Map<String, String> choices = new LinkedHashMap<>();
        for (int i = 0; i < valuesAndTexts.length; i += 2) {
            choices.put(valuesAndTexts[i], valuesAndTexts[i + 1]);
        }
        return choices;
    }

    static String url(String path, Map<String, String> query) {
        return query.isEmpty()
                ? path
                : path + "?"
                        + query.entrySet().stream()
                                .map(each -> each.getKey() + "=" + Asker.encoded(each.getValue()))
                                .collect(Collectors.joining("&"));
    }

    /** Returns the nodes, and parts of one, of which an answer has nothing, as they did not answer; none if all did. */
    static List<String> silent(JsonNode answer) {
        return answer.path("silent").valueStream().map(JsonNode::asString).toList();
    }

    /** Returns where the next page of a list is; null if this is the last. */
    static String next(String path, Map<String, String> query, JsonNode listing) {
        if (!listing.hasNonNull("next")) {
            return null;
        }
        Map<String, String> further = new LinkedHashMap<>(query);
        further.put("after", listing.path("next").asString());
        return url(path, further);
    }
}
