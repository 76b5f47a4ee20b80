package io.ringtable.cli.manage;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Writes names and values of JSON for people. */
public final class Values {
    /** Name numbers that people copy into the next command: they have no separators. */
    private static final Set<String> IDENTIFIERS = Set.of("id", "sequence", "subscription", "job");

    private static final Pattern INSTANT = Pattern.compile("(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)\\.\\d+Z");
    private static final Pattern SECOND = Pattern.compile("\\d{4}-(\\d\\d-\\d\\d)T(\\d\\d:\\d\\d:\\d\\d)Z");
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private Values() {}

    /** Returns the words of a name: {@code owed in ring} for {@code owedInRing}. */
    static String heading(String field) {
        return field.replace('/', ' ')
                .replaceAll("(?<=[a-z0-9])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT)
                .strip();
    }

    /** Returns a value in one line; lists with commas. */
    static String text(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return "";
        }
        if (value.isBoolean()) {
            return value.booleanValue() ? "yes" : "no";
        }
        if (value.isArray()) {
            return value.valueStream().map(Values::text).collect(Collectors.joining(", "));
        }
        return clean(value.isString() ? value.stringValue() : value.toString());
    }

    /**
     * Returns a value for a table: times are cut to the second, numbers have separators unless they are names.
     *
     * @param field name of the value
     */
    static String cell(String field, JsonNode value) {
        return value.isIntegralNumber() && value.canConvertToLong() && !IDENTIFIERS.contains(field)
                ? String.format(Locale.ROOT, "%,d", value.longValue())
                : INSTANT.matcher(text(value)).replaceFirst("$1Z");
    }

    /** Returns whether the text is a time as a table has it, to the second. */
    static boolean isTime(String text) {
        return SECOND.matcher(text).matches();
    }

    /** Returns a time, to the second, without its year. */
    static String withoutYear(String time) {
        return SECOND.matcher(time).replaceFirst("$1 $2");
    }

    /** Replaces control characters: clients choose names, and no name may drive the terminal or begin a line. */
    public static String clean(String text) {
        return CONTROL.matcher(text).replaceAll("?");
    }
}
