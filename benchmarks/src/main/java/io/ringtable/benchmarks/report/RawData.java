package io.ringtable.benchmarks.report;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Writes each measurement of a run as a row of {@code <bench.results>/<name>.csv}, after comment lines that say where
 * it ran. Rows are written immediately, so an aborted run leaves what it had. An earlier run's file stays: the next
 * file is {@code <name>-2.csv}. Thread: one.
 */
public final class RawData implements AutoCloseable {
    private final BufferedWriter out; // null without bench.results

    public RawData(String name, String manifest, String... columns) {
        String directory = System.getProperty("bench.results");
        try {
            if (directory == null) {
                out = null;
                return;
            }
            Files.createDirectories(Path.of(directory));
            out = Files.newBufferedWriter(unused(Path.of(directory), name), StandardOpenOption.CREATE_NEW);
            for (String line : manifest.split("\n")) {
                out.write("# " + line + "\n");
            }
            out.write(String.join(",", columns) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a comment line, for example the answer of a subject that has just started. */
    public void note(String text) {
        write("# " + text);
    }

    private static Path unused(Path directory, String name) {
        Path file = directory.resolve(name + ".csv");
        for (int run = 2; Files.exists(file); run++) {
            file = directory.resolve(name + "-" + run + ".csv");
        }
        return file;
    }

    public void row(Object... cells) {
        write(Arrays.stream(cells).map(RawData::cell).collect(Collectors.joining(",")));
    }

    private void write(String line) {
        if (out != null) {
            try {
                out.write(line + "\n");
                out.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static String cell(Object value) {
        return value instanceof Double number
                ? String.format(java.util.Locale.ROOT, "%.2f", number)
                : String.valueOf(value).replace(',', ';');
    }

    @Override
    public void close() {
        if (out != null) {
            try {
                out.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
