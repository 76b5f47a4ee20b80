package io.ringtable.acceptance.flights;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** The rows to publish, by number. */
final class FlightRows {
    private static final Path SAMPLE = Path.of(System.getProperty("ringtable.root", ".."))
            .resolve("cli/src/main/resources/io/ringtable/cli/run/flights-sample.csv.gz");

    private final List<String> rows;

    private FlightRows(List<String> rows) {
        this.rows = rows;
    }

    /** The first rows of the sample that the command line's demo publishes. */
    static FlightRows sample(int most) {
        return read(SAMPLE, most);
    }

    /** @param file CSV in gzip, its first line the heading */
    static FlightRows read(Path file, long most) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                        new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8));
                Stream<String> lines = reader.lines()) {
            return new FlightRows(lines.skip(1).limit(most).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int count() {
        return rows.size();
    }

    /** Beyond the last row of the file there is one more for each publisher, which says that it has ended. */
    String text(int row) {
        return row < rows.size() ? rows.get(row) : "end " + row;
    }
}
