package io.ringtable.broker.admin.console.view;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Shows what an operation answers about one thing, whatever its fields. Plain values become facts, lists become tables,
 * and things in it become parts of their own.
 *
 * @param title empty for the thing itself
 * @param texts long texts, each in lines of its own
 */
public record Facts(String title, List<Fact> facts, List<Fact> texts, List<Listed> tables, List<Facts> parts) {
    private static final Set<String> NAMES =
            Set.of("id", "sequence", "epoch", "connection", "subscription", "number", "slot", "lap");
    private static final int LONG_TEXT = 120;
    private static final Set<String> CONSTANTS = Set.of("kind", "role", "state", "reason", "action", "why", "waitsFor");

    /** Is a name with its value. */
    public record Fact(String name, Cell value) {}

    /** Is a table below its name. */
    public record Listed(String title, Table table) {}

    public static Facts of(String title, JsonNode thing) {
        Facts shown = new Facts(title, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        thing.properties().forEach(field -> shown.add(field.getKey(), field.getValue()));
        return shown;
    }

    /** Shows names and values that somebody else chose as they are. */
    public static Facts asWritten(String title, JsonNode thing) {
        Facts shown = new Facts(title, new ArrayList<>(), List.of(), List.of(), List.of());
        thing.properties()
                .forEach(field -> shown.facts.add(new Fact(
                        field.getKey(),
                        Cell.text(
                                field.getValue().isContainer()
                                        ? field.getValue().toString()
                                        : field.getValue().asString("")))));
        return shown;
    }

    public boolean isEmpty() {
        return facts.isEmpty() && texts.isEmpty() && tables.isEmpty() && parts.isEmpty();
    }

    private void add(String name, JsonNode value) {
        String words = Shown.words(name);
        if (value.isObject()) {
            if (!value.isEmpty()) {
                parts.add(of(words, value));
            }
        } else if (value.isArray() && value.path(0).isObject()) {
            tables.add(new Listed(words, tableOf(value)));
        } else if (value.isArray()) {
            List<String> texts = new ArrayList<>();
            value.forEach(item -> texts.add(item.asString()));
            facts.add(new Fact(words, Cell.text(texts.isEmpty() ? Shown.NOTHING : String.join(", ", texts))));
        } else if (value.isString()
                && (value.asString().length() > LONG_TEXT || value.asString().contains("\n"))) {
            texts.add(new Fact(words, Cell.text(value.asString())));
        } else if (!value.isNull() && !(value.isString() && value.asString().isEmpty())) {
            facts.add(new Fact(words, cell(name, value)));
        }
    }

    /** Makes a table with a column for each field. */
    public static Table tableOf(JsonNode items) {
        Set<String> names = new TreeSet<>();
        List<String> inOrder = new ArrayList<>();
        items.forEach(item -> item.propertyNames().forEach(name -> {
            if (names.add(name)) {
                inOrder.add(name);
            }
        }));
        return Table.of(
                items,
                inOrder.stream().map(name -> Column.of(Shown.words(name), name)).toList());
    }

    /** Shows a value as the name of its field and its type ask for. */
    public static Cell cell(String name, JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return Cell.text(Shown.NOTHING);
        }
        if (value.isBoolean()) {
            return Cell.text(value.asBoolean() ? "yes" : "no");
        }
        if (value.isNumber()) {
            return NAMES.contains(name) ? Cell.number(value.asString()) : Cell.number(quantity(name, value));
        }
        if (value.isContainer()) {
            return Cell.text(value.toString());
        }
        String text = value.asString();
        if (isTime(name)) {
            return Cell.time(time(text));
        }
        return Cell.text(CONSTANTS.contains(name) ? constant(text) : text);
    }

    /** Shows a constant such as {@code NO_CREDIT} as words, and leaves every other text as it is. */
    private static String constant(String text) {
        return text.matches("[A-Z][A-Z_]*") ? text.replace('_', ' ').toLowerCase(Locale.ROOT) : text;
    }

    private static String quantity(String name, JsonNode value) {
        if (name.toLowerCase(Locale.ROOT).contains("bytes")) {
            return Shown.bytes(value.asLong());
        }
        if (name.endsWith("Ms")) {
            return Shown.millis(value.asDouble());
        }
        return value.isIntegralNumber() ? Shown.number(value.asLong()) : Shown.rate(value.asDouble());
    }

    private static boolean isTime(String name) {
        return name.endsWith("At")
                || Set.of("at", "since", "until", "oldest", "newest", "hour", "creationTime")
                        .contains(name);
    }

    private static String time(String text) {
        try {
            return Shown.time(Instant.parse(text));
        } catch (DateTimeException e) {
            return text;
        }
    }
}
