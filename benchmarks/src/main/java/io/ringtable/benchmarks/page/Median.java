package io.ringtable.benchmarks.page;

import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Formula;
import io.ringtable.benchmarks.suite.Readings;
import io.ringtable.benchmarks.suite.Row;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Holds the median of a figure over the rounds of a case, with the lowest and the highest. Thread: any. */
record Median(double median, double low, double high, int rounds) {

    /** Returns the median of the rows that have the figure; empty if none has. */
    static Optional<Median> of(List<Row> rows, Formula figure) {
        double[] values = rows.stream()
                .mapToDouble(figure::value)
                .filter(Double::isFinite)
                .toArray();
        if (values.length == 0) {
            return Optional.empty();
        }
        return Optional.of(new Median(
                Numbers.median(values),
                Arrays.stream(values).min().orElseThrow(),
                Arrays.stream(values).max().orElseThrow(),
                values.length));
    }

    /** Returns why rows are not durable, beginning with these words; empty if no row says so. */
    static String notDurable(List<Row> rows) {
        List<Row> weak = rows.stream().filter(Row::isNotDurable).toList();
        if (weak.isEmpty()) {
            return "";
        }
        String why = weak.stream()
                .map(row -> row.cell(Figure.WHY_NOT.column()))
                .filter(reason -> !reason.isEmpty())
                .distinct()
                .collect(Collectors.joining("; "));
        return why.isEmpty() ? Readings.NOT_DURABLE : Readings.NOT_DURABLE + ": " + why;
    }

    /** Returns the median with its range, for a reader. */
    @Override
    public String toString() {
        return Numbers.significant(median)
                + (low == high ? "" : " (" + Numbers.significant(low) + " to " + Numbers.significant(high) + ")");
    }
}
