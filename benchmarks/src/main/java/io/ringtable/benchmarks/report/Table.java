package io.ringtable.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

/** Formats a table for a terminal and for Markdown. Thread: one. */
public final class Table {
    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... columns) {
        header = List.of(columns);
    }

    public void row(String... cells) {
        if (cells.length != header.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + header.size() + " columns");
        }
        rows.add(List.of(cells));
    }

    @Override
    public String toString() {
        int[] widths = header.stream().mapToInt(String::length).toArray();
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        line(text, header, widths);
        for (int i = 0; i < widths.length; i++) {
            text.append(i == 0 ? "|:" : "|")
                    .append("-".repeat(widths[i] + (i == 0 ? 1 : 1)))
                    .append(i == 0 ? "" : ":");
        }
        text.append("|\n");
        rows.forEach(row -> line(text, row, widths));
        return text.toString();
    }

    private static void line(StringBuilder text, List<String> cells, int[] widths) {
        for (int i = 0; i < widths.length; i++) {
            String space = " ".repeat(widths[i] - cells.get(i).length());
            text.append("| ")
                    .append(i == 0 ? cells.get(i) + space : space + cells.get(i))
                    .append(' ');
        }
        text.append("|\n");
    }
}
