package io.ringtable.broker.store.sqlserver;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what scripts of T-SQL leave behind, as far as that is visible without a server. These are objects that they
 * create and do not drop again, by kind and name, with their text. Comments and line breaks do not count. An added
 * column comes last. Changes of rows and rights are passed over.
 */
final class TsqlObjects {
    private static final String NAME =
            "(SCHEMA|TABLE|TYPE|VIEW|INDEX|PROCEDURE|FUNCTION)\\s+(?:IF EXISTS\\s+)?([\\w.]+)";
    private static final String GONE = " GONE ";
    private static final Pattern CREATE = Pattern.compile("CREATE\\s+" + NAME + ".*", Pattern.DOTALL);
    private static final Pattern DROP = Pattern.compile("DROP\\s+" + NAME);
    private static final Pattern ADD_COLUMN =
            Pattern.compile("ALTER\\s+TABLE\\s+([\\w.]+)\\s+ADD\\s+(.*)", Pattern.DOTALL);
    private static final Pattern DROP_CONSTRAINT =
            Pattern.compile("ALTER\\s+TABLE\\s+([\\w.]+)\\s+DROP CONSTRAINT (\\w+)");
    private static final Pattern ADD_CONSTRAINT =
            Pattern.compile("ALTER\\s+TABLE\\s+([\\w.]+)\\s+ADD (CONSTRAINT (\\w+) .*)", Pattern.DOTALL);
    private static final Pattern OTHER =
            Pattern.compile("(INSERT|UPDATE|DELETE|IF EXISTS|GRANT|WITH)\\b.*", Pattern.DOTALL);

    private final Map<String, String> definitions = new TreeMap<>();

    /** Runs a script. */
    TsqlObjects make(String script) {
        for (String batch : script.replaceAll("--[^\n]*", "").split("(?m)^GO\\s*$")) {
            if (batch.contains("CREATE PROCEDURE")
                    || batch.contains("CREATE FUNCTION")
                    || batch.contains("CREATE VIEW")) {
                run(batch); // one statement, whatever is inside
            } else {
                for (String statement : batch.split(";\\s*\n")) {
                    run(statement);
                }
            }
        }
        return this;
    }

    private void run(String statement) {
        String text = statement.strip().replaceAll("\\s+", " ").replaceAll("\\s*;$", "");
        Matcher create = CREATE.matcher(text);
        Matcher drop = DROP.matcher(text);
        Matcher add = ADD_COLUMN.matcher(text);
        Matcher dropConstraint = DROP_CONSTRAINT.matcher(text);
        Matcher addConstraint = ADD_CONSTRAINT.matcher(text);
        if (create.matches()) {
            String before = definitions.put(create.group(1) + " " + create.group(2), text);
            if (before != null) {
                throw new IllegalArgumentException("is there already: " + text);
            }
        } else if (drop.matches()) {
            String gone = definitions.remove(drop.group(1) + " " + drop.group(2));
            if (gone == null && !text.contains("IF EXISTS")) {
                throw new IllegalArgumentException("is not there: " + text);
            }
        } else if (dropConstraint.matches()) { // its place stays, for the one that follows it
            String name = dropConstraint.group(2);
            replace(dropConstraint.group(1), " CONSTRAINT " + name + " .*?(?=, CONSTRAINT |\\s*\\)$)", GONE + name);
        } else if (addConstraint.matches() && isGone(addConstraint.group(1), addConstraint.group(3))) {
            replace(addConstraint.group(1), GONE + addConstraint.group(3), " " + addConstraint.group(2));
        } else if (add.matches()) {
            String added = definitions.computeIfPresent(
                    "TABLE " + add.group(1),
                    (name, table) -> table.replaceFirst(
                            ", CONSTRAINT ", Matcher.quoteReplacement(", " + add.group(2) + ", CONSTRAINT ")));
            if (added == null) {
                throw new IllegalArgumentException("is not there: " + text);
            }
        } else if (!text.isEmpty() && !OTHER.matcher(text).matches()) {
            throw new IllegalArgumentException("not understood: " + text);
        }
    }

    private boolean isGone(String table, String constraint) {
        return definitions.get("TABLE " + table).contains(GONE + constraint);
    }

    private void replace(String table, String regex, String by) {
        String before = definitions.get("TABLE " + table);
        String after = before.replaceFirst(regex, Matcher.quoteReplacement(by));
        if (after.equals(before)) {
            throw new IllegalArgumentException("is not there: " + regex + " of " + before);
        }
        definitions.put("TABLE " + table, after);
    }

    Map<String, String> definitions() {
        return definitions;
    }
}
