package io.ringtable.benchmarks.page;

import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Formula;
import io.ringtable.benchmarks.suite.Row;
import io.ringtable.benchmarks.suite.Suite;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Holds the medians of all cases of a suite on an engine: the figures of the suite's charts, and those that every suite
 * shows. The wait that led in most rounds stands beside them. A figure that no row has is no column. Thread: any.
 */
record MedianTable(List<String> header, List<Line> lines) {
    private static final List<String> ALWAYS = List.of(
            Figure.MESSAGES_PER_S.column(),
            Figure.COMMIT_MEDIAN_US.column(),
            Figure.COMMIT_P99_US.column(),
            Figure.CPU_US_PER_MESSAGE.column());

    /**
     * Holds the cells of a case.
     *
     * @param durable whether no row says otherwise
     */
    record Line(List<String> cells, boolean durable) {}

    static MedianTable of(Suite suite, List<Row> rows) {
        Map<Case, List<Row>> cases =
                rows.stream().collect(Collectors.groupingBy(Row::one, LinkedHashMap::new, Collectors.toList()));
        List<Formula> figures = Stream.concat(suite.charts().stream().map(Suite.Chart::y), ALWAYS.stream())
                .distinct()
                .map(Formula::of)
                .filter(figure -> Median.of(rows, figure).isPresent())
                .toList();
        List<String> header = new ArrayList<>(List.of("case", "rounds"));
        figures.forEach(figure -> header.add(figure.toString()));
        boolean waits = rows.stream().anyMatch(row -> !leader(row).isEmpty());
        if (waits) {
            header.add(Figure.TOP_WAIT.column());
        }
        header.add(Figure.VERIFIED.column());
        return new MedianTable(
                header,
                cases.entrySet().stream()
                        .map(entry -> line(entry.getKey(), entry.getValue(), figures, waits))
                        .toList());
    }

    private static Line line(Case one, List<Row> rows, List<Formula> figures, boolean waits) {
        List<Row> sound = rows.stream().filter(row -> !row.isFailed()).toList();
        int failed = rows.size() - sound.size();
        String notDurable = Median.notDurable(sound);
        List<String> cells = new ArrayList<>();
        cells.add(one.toString());
        cells.add(sound.size() + (failed == 0 ? "" : ", and " + failed + " failed"));
        figures.forEach(figure ->
                cells.add(Median.of(sound, figure).map(Median::toString).orElse("")));
        if (waits) {
            cells.add(topWait(sound));
        }
        cells.add(notDurable.isEmpty() ? verified(sound) : notDurable);
        return new Line(cells, notDurable.isEmpty());
    }

    private static String leader(Row row) {
        return row.cell(Figure.TOP_WAIT.column());
    }

    /** Returns the wait that led in most rounds; of equals the first by name. */
    private static String topWait(List<Row> rows) {
        Map<String, Long> led = rows.stream()
                .map(MedianTable::leader)
                .filter(event -> !event.isEmpty())
                .collect(Collectors.groupingBy(event -> event, TreeMap::new, Collectors.counting()));
        return led.entrySet().stream()
                .max(Map.Entry.<String, Long>comparingByValue()
                        .thenComparing(Map.Entry.<String, Long>comparingByKey().reversed()))
                .map(most -> most.getKey()
                        + (most.getValue() == rows.size() ? "" : " (" + most.getValue() + " of " + rows.size() + ")"))
                .orElse("");
    }

    private static String verified(List<Row> rows) {
        return rows.stream()
                .map(row -> row.cell(Figure.VERIFIED.column()))
                .filter(word -> !word.isEmpty())
                .distinct()
                .collect(Collectors.joining("; "));
    }
}
