package io.ringtable.cli.manage;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Shows one thing as a list of its fields, by the names that the broker gives them. Each has a line. Objects and texts
 * of several lines stand below their name. Empty fields are left out.
 */
public final class Details {
    private static final String INDENT = "  ";

    private final int width;
    private final Set<String> asJson;
    private final List<String> lines = new ArrayList<>();

    private Details(int width, Set<String> asJson) {
        this.width = width;
        this.asJson = asJson;
    }

    /**
     * Returns the lines.
     *
     * @param width of the terminal; a list that fits into it as a table is one
     * @param asJson names of fields whose value is JSON that somebody wrote, and stays it
     */
    public static List<String> of(JsonNode thing, int width, String... asJson) {
        Details details = new Details(width, Set.of(asJson));
        details.add("", thing);
        return details.lines;
    }

    private void add(String indent, JsonNode thing) {
        int width = 1; // a name may be empty
        for (Map.Entry<String, JsonNode> field : thing.properties()) {
            if (isShort(field.getKey(), field.getValue())) {
                width = Math.max(width, field.getKey().length());
            }
        }
        for (Map.Entry<String, JsonNode> field : thing.properties()) {
            add(indent, width, field.getKey(), field.getValue());
        }
    }

    private void add(String indent, int width, String name, JsonNode value) {
        String heading = Values.clean(name);
        if (isEmpty(value)) {
            return;
        }
        if (isShort(name, value)) {
            lines.add(indent + String.format("%-" + width + "s", heading) + INDENT + Values.text(value));
            return;
        }
        lines.add(indent + heading);
        if (asJson.contains(name)) {
            addText(
                    indent + INDENT,
                    JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(value));
        } else if (value.isObject()) {
            add(indent + INDENT, value);
        } else if (value.isArray()) {
            addList(indent + INDENT, value);
        } else {
            addText(indent + INDENT, value.asString());
        }
    }

    private static boolean isEmpty(JsonNode value) {
        return value.isNull()
                || value.isContainer() && value.isEmpty()
                || value.isString() && value.asString().isEmpty();
    }

    private boolean isShort(String name, JsonNode value) {
        if (asJson.contains(name) || value.isObject() || isEmpty(value)) {
            return false;
        }
        if (value.isArray()) {
            return value.valueStream().allMatch(JsonNode::isValueNode);
        }
        return !value.isString() || value.asString().lines().count() <= 1;
    }

    private void addText(String indent, String text) {
        text.lines().forEach(line -> lines.add(indent + Values.clean(line.replace("\t", INDENT + INDENT))));
    }

    private void addList(String indent, JsonNode list) {
        List<JsonNode> items = list.valueStream().toList();
        Set<String> fields = new LinkedHashSet<>();
        items.forEach(item -> fields.addAll(item.propertyNames()));
        List<String> table = Table.of(items, List.copyOf(fields), Table.UNBOUNDED);
        if (table.stream().allMatch(line -> indent.length() + line.length() <= width)) {
            table.forEach(line -> lines.add(indent + line));
            return;
        }
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                lines.add("");
            }
            add(indent, items.get(i));
        }
    }
}
