package io.ringtable.benchmarks.suite;

import java.util.List;

/**
 * Reads a figure of a row, or the quotient of two: {@code log_bytes / messages}. Thread: any.
 *
 * @param columns one, or two
 */
public record Formula(List<String> columns) {

    public Formula {
        if (columns.isEmpty() || columns.size() > 2) {
            throw new IllegalArgumentException(columns + " are not one column or two");
        }
    }

    /** Reads the form {@code a} or {@code a / b}. */
    public static Formula of(String text) {
        return new Formula(List.of(text.split(" / ", -1)));
    }

    /** Returns the value; NaN if the row has it not, if it is no number, and for a division by 0. */
    public double value(Row row) {
        double value = number(row, columns.get(0));
        if (columns.size() == 1) {
            return value;
        }
        double divisor = number(row, columns.get(1));
        return divisor == 0 ? Double.NaN : value / divisor;
    }

    private static double number(Row row, String column) {
        try {
            return Double.parseDouble(row.cell(column));
        } catch (NumberFormatException e) {
            return Double.NaN; // empty, or a word
        }
    }

    @Override
    public String toString() {
        return String.join(" / ", columns);
    }
}
