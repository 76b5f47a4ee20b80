package io.ringtable.benchmarks.suite;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Holds what one run found; a line of the raw data.
 *
 * @param round from 0; the runs of a round compare with one another
 * @param figures in plain decimals or words; absent is what the engine does not tell, and is never 0
 */
public record Row(String suite, String engine, Case one, int round, Map<Figure, String> figures) {
    static final String FAILED = "FAILED: ";
    private static final String SUITE = "suite";
    private static final String ENGINE = "engine";
    private static final String ROUND = "round";

    public Row {
        Map<Figure, String> copy = new EnumMap<>(Figure.class);
        copy.putAll(figures);
        figures = copy;
    }

    /** Returns the names of all columns, in the order of {@link #line}. */
    public static List<String> columns() {
        List<String> columns = new ArrayList<>(List.of(SUITE, ENGINE));
        Arrays.stream(Dimension.values()).map(Dimension::column).forEach(columns::add);
        columns.add(ROUND);
        Arrays.stream(Figure.values()).map(Figure::column).forEach(columns::add);
        return columns;
    }

    /** Returns the cell of a column; empty if the run has none. */
    public String cell(String column) {
        return switch (column) {
            case SUITE -> suite;
            case ENGINE -> engine;
            case ROUND -> String.valueOf(round);
            default ->
                Stream.concat(
                                Arrays.stream(Dimension.values())
                                        .filter(dimension -> dimension.column().equals(column))
                                        .map(one::text),
                                Arrays.stream(Figure.values())
                                        .filter(figure -> figure.column().equals(column))
                                        .map(figure -> figures.getOrDefault(figure, "")))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("'" + column + "' is none of " + columns()));
        };
    }

    /** Returns whether the run failed, so that it has no figures but the note. */
    public boolean isFailed() {
        return figures.getOrDefault(Figure.NOTE, "").startsWith(FAILED);
    }

    /** Returns whether the run's commits were found not to be on the disk when they returned. */
    public boolean isNotDurable() {
        return Readings.NOT_DURABLE.equals(figures.get(Figure.VERIFIED));
    }

    /** Returns whether the other row is of the same case in the same round. */
    boolean isOf(String otherSuite, String otherEngine, Case other, int otherRound) {
        return suite.equals(otherSuite) && engine.equals(otherEngine) && one.equals(other) && round == otherRound;
    }

    /** Returns the cells, separated by commas; a comma or a line's end in a cell becomes a semicolon. */
    String line() {
        return columns().stream()
                .map(column -> cell(column).replaceAll("[,\\r\\n]+", ";"))
                .collect(Collectors.joining(","));
    }

    /**
     * Reads a line of a file with such columns.
     *
     * @param header may lack figures, which are absent then
     * @throws IllegalArgumentException if another column or a cell is missing
     */
    static Row of(List<String> header, String line) {
        List<String> cells = List.of(line.split(",", -1));
        if (cells.size() != header.size()) {
            throw new IllegalArgumentException(
                    cells.size() + " cells stand under " + header.size() + " columns: " + line);
        }
        Map<Dimension, String> values = new EnumMap<>(Dimension.class);
        for (Dimension dimension : Dimension.values()) {
            values.put(dimension, cells.get(at(header, dimension.column())));
        }
        Map<Figure, String> figures = new EnumMap<>(Figure.class);
        for (Figure figure : Figure.values()) {
            int at = header.indexOf(figure.column());
            if (at >= 0 && !cells.get(at).isEmpty()) {
                figures.put(figure, cells.get(at));
            }
        }
        return new Row(
                cells.get(at(header, SUITE)),
                cells.get(at(header, ENGINE)),
                new Case(values),
                Integer.parseInt(cells.get(at(header, ROUND))),
                figures);
    }

    private static int at(List<String> header, String column) {
        int at = header.indexOf(column);
        if (at < 0) {
            throw new IllegalArgumentException("no column '" + column + "' among " + header);
        }
        return at;
    }
}
