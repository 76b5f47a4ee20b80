package io.ringtable.benchmarks.claim;

import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Results;
import io.ringtable.benchmarks.suite.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Makes rows as a run leaves them, and writes them as its raw data. Thread: one. */
public final class TestRows {
    private final List<Row> rows = new ArrayList<>();

    /** Adds a round for each of the values. */
    public TestRows add(
            String suite,
            String engine,
            Map<Dimension, String> values,
            Figure figure,
            Map<Figure, String> others,
            double... found) {
        for (int round = 0; round < found.length; round++) {
            Map<Figure, String> figures = new EnumMap<>(Figure.class);
            figures.put(Figure.VERIFIED, "durable");
            figures.putAll(others);
            figures.put(figure, String.valueOf(found[round]));
            rows.add(new Row(suite, engine, new Case(values), round, figures));
        }
        return this;
    }

    /** Adds a run that failed. */
    public TestRows addFailed(String suite, String engine, Map<Dimension, String> values, int round) {
        rows.add(new Row(
                suite, engine, new Case(values), round, Map.of(Figure.NOTE, "FAILED: java.sql.SQLException: full")));
        return this;
    }

    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /** Writes the file that a run leaves in a directory. */
    public void write(Path directory, String... manifest) {
        List<String> lines = new ArrayList<>();
        for (String line : manifest) {
            lines.add("# " + line);
        }
        lines.add(String.join(",", Row.columns()));
        rows.forEach(row -> lines.add(Row.columns().stream().map(row::cell).collect(Collectors.joining(","))));
        try {
            Files.write(directory.resolve(Results.FILE), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
