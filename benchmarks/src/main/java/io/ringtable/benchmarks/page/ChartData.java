package io.ringtable.benchmarks.page;

import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Formula;
import io.ringtable.benchmarks.suite.Row;
import io.ringtable.benchmarks.suite.Suite;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Holds a chart for {@code charts.js}: a point for each x and series. Thread: any.
 *
 * @param labels values of x, in their order
 * @param lines whether x counts and has several values, so that points are joined; else there are bars
 * @param notDurable names the points that are not durable
 */
record ChartData(
        String id,
        String title,
        String x,
        String y,
        List<String> labels,
        boolean lines,
        List<Series> series,
        List<String> notDurable) {

    /**
     * Holds a line, or the bars of one colour.
     *
     * @param points one for each label; null where there is none
     */
    record Series(String name, List<Point> points) {}

    /** Holds a median, with the lowest and the highest of its rounds. */
    record Point(double y, double low, double high, boolean durable) {}

    /** Returns the charts of a suite on an engine, one for each combination of the dimensions that it does not draw. */
    static List<ChartData> of(Suite suite, String engine, List<Row> rows) {
        List<Row> sound = rows.stream().filter(row -> !row.isFailed()).toList();
        List<ChartData> charts = new ArrayList<>();
        for (Suite.Chart chart : suite.charts()) {
            combinations(chart, sound).forEach((combination, its) -> {
                String id = suite.name() + "-" + engine + "-" + charts.size();
                ChartData data = chart(id, chart, combination, its);
                if (data.labels().size() > 1 || data.series().size() > 1) {
                    charts.add(data);
                }
            });
        }
        return charts;
    }

    private static Map<String, List<Row>> combinations(Suite.Chart chart, List<Row> rows) {
        List<Dimension> others = Arrays.stream(Dimension.values())
                .filter(other ->
                        !chart.x().contains(other.column()) && !other.column().equals(chart.series()))
                .filter(other -> rows.stream()
                                .map(row -> row.one().text(other))
                                .distinct()
                                .count()
                        > 1)
                .toList();
        return rows.stream()
                .collect(Collectors.groupingBy(
                        row -> others.stream()
                                .map(other -> other.column() + "=" + row.one().text(other))
                                .collect(Collectors.joining(" ")),
                        LinkedHashMap::new,
                        Collectors.toList()));
    }

    private static ChartData chart(String id, Suite.Chart chart, String combination, List<Row> rows) {
        Formula figure = Formula.of(chart.y());
        List<Row> its =
                rows.stream().filter(row -> Double.isFinite(figure.value(row))).toList();
        String x = String.join(", ", chart.x());
        List<String> labels = distinct(its, row -> label(row, chart));
        boolean counts = labels.stream().allMatch(label -> label.matches("\\d+"));
        if (counts) {
            labels = labels.stream().sorted(Comparator.comparing(Long::valueOf)).toList();
        }
        List<String> notDurable = new ArrayList<>();
        List<Series> series = new ArrayList<>();
        for (String value : distinct(its, row -> row.cell(chart.series()))) {
            String name = chart.series().equals("design") ? value : chart.series() + "=" + value;
            List<Point> points = new ArrayList<>();
            for (String label : labels) {
                List<Row> cell = its.stream()
                        .filter(row -> label(row, chart).equals(label)
                                && row.cell(chart.series()).equals(value))
                        .toList();
                boolean durable = Median.notDurable(cell).isEmpty();
                if (!durable) {
                    notDurable.add(name.equals(label) ? name : name + " at " + x + "=" + label);
                }
                points.add(Median.of(cell, figure)
                        .map(median -> new Point(median.median(), median.low(), median.high(), durable))
                        .orElse(null));
            }
            series.add(new Series(name, points));
        }
        String title = chart.y() + " by " + x + (combination.isEmpty() ? "" : ", " + combination);
        return new ChartData(id, title, x, chart.y(), labels, counts && labels.size() > 1, series, notDurable);
    }

    private static String label(Row row, Suite.Chart chart) {
        return chart.x().stream().map(row::cell).collect(Collectors.joining(", "));
    }

    private static List<String> distinct(List<Row> rows, Function<Row, String> value) {
        return rows.stream().map(value).distinct().toList();
    }
}
