package io.ringtable.cli.manage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Shows items as a table: a line for each, columns as wide as they have to be, numbers to the right. A column that no
 * item has a value for is left out. Where the width is not enough, times lose their year, and then the widest texts are
 * cut.
 */
public final class Table {
    /** Is a width that everything finds room in. */
    public static final int UNBOUNDED = Integer.MAX_VALUE;

    private static final String GAP = "  ";
    private static final String CUT = "…";
    private static final int SHORTEST = 8;

    private final List<Column> columns = new ArrayList<>();
    private final int rows;

    private Table(int rows) {
        this.rows = rows;
    }

    private static final class Column {
        private final List<String> cells = new ArrayList<>(); // the heading first
        private boolean empty = true;
        private boolean numbers = true;
        private boolean times = true;
        private int width;

        Column(String field, List<JsonNode> items) {
            add(Values.heading(field));
            String pointer = "/" + field;
            for (JsonNode item : items) {
                JsonNode value = item.at(pointer);
                String text = Values.cell(field, value);
                empty &= text.isEmpty();
                numbers &= text.isEmpty() || value.isNumber();
                times &= text.isEmpty() || Values.isTime(text);
                add(text);
            }
        }

        private void add(String cell) {
            cells.add(cell);
            width = Math.max(width, cell.length());
        }

        void shortenTimes() {
            cells.replaceAll(Values::withoutYear);
            width = cells.stream().mapToInt(String::length).max().orElseThrow();
        }

        boolean canBeCut() {
            return !numbers && !times && width > SHORTEST;
        }

        String cell(int row) {
            String cell = cells.get(row);
            String cut = cell.length() > width ? cell.substring(0, width - CUT.length()) + CUT : cell;
            return String.format(numbers ? "%" + width + "s" : "%-" + width + "s", cut);
        }
    }

    /**
     * Returns the lines of a table.
     *
     * @param items objects
     * @param fields names of the columns' fields; a slash leads into an object, as in {@code retained/bytes}
     * @param width most characters of a line
     */
    public static List<String> of(List<JsonNode> items, List<String> fields, int width) {
        Table table = new Table(items.size() + 1);
        for (String field : fields) {
            Column column = new Column(field, items);
            if (!column.empty) {
                table.columns.add(column);
            }
        }
        table.fit(width);
        return table.lines();
    }

    private void fit(int width) {
        if (excess(width) > 0) {
            columns.stream().filter(column -> column.times).forEach(Column::shortenTimes);
        }
        for (int excess = excess(width); excess > 0; excess--) {
            Column widest = columns.stream()
                    .filter(Column::canBeCut)
                    .max(Comparator.comparingInt(column -> column.width))
                    .orElse(null);
            if (widest == null) {
                return; // the rest says nothing once it is cut
            }
            widest.width--;
        }
    }

    private int excess(int width) {
        return columns.stream().mapToInt(column -> column.width + GAP.length()).sum() - GAP.length() - width;
    }

    private List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            int at = row;
            lines.add(String.join(
                            GAP, columns.stream().map(column -> column.cell(at)).toList())
                    .stripTrailing());
        }
        return lines;
    }
}
