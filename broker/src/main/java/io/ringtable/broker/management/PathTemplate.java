package io.ringtable.broker.management;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Matches paths: segments between slashes, of which those in braces stand for any one segment.
 *
 * @param text such as {@code /addresses/{address}/purge}
 */
record PathTemplate(String text, List<String> segments) {
    PathTemplate(String text) {
        this(text, segmentsOf(text));
    }

    static List<String> segmentsOf(String path) {
        return List.of(path.substring(path.startsWith("/") ? 1 : 0).split("/", -1));
    }

    private static boolean isVariable(String segment) {
        return segment.startsWith("{");
    }

    /** Returns the names of the segments that vary, in order. */
    List<String> variables() {
        return segments.stream()
                .filter(PathTemplate::isVariable)
                .map(PathTemplate::nameOf)
                .toList();
    }

    private static String nameOf(String variable) {
        return variable.substring(1, variable.length() - 1);
    }

    /**
     * Returns the values of the variables, decoded; null if the path is another.
     *
     * @param path segments, percent-encoded
     * @throws IllegalArgumentException if a segment is not encoded well
     */
    Map<String, String> match(List<String> path) {
        if (path.size() != segments.size()) {
            return null;
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < segments.size(); i++) {
            String segment = segments.get(i);
            if (isVariable(segment)) {
                values.put(nameOf(segment), decode(path.get(i)));
            } else if (!segment.equals(path.get(i))) {
                return null;
            }
        }
        return values;
    }

    private static String decode(String segment) {
        return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8); // a plus is itself in a path
    }

    /** Counts the segments that vary: of two templates that match, the one with fewer is meant. */
    int variableCount() {
        return (int) segments.stream().filter(PathTemplate::isVariable).count();
    }
}
