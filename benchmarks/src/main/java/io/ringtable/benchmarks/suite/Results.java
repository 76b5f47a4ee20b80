package io.ringtable.benchmarks.suite;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Keeps the rows of a directory's {@code raw.csv}. Each row is written as soon as it is measured. So an interrupted run
 * leaves what it had, and the next call goes on behind it. The first line says of which build and profile the rows are.
 * Each call writes its manifest as comment lines.
 * <p>
 * Thread: one. Failure: a file of another build or profile, or with other columns, is refused and stays as it is. A
 * last line that was cut off is removed, since its run is measured again.
 */
public final class Results implements AutoCloseable {
    /** The file's name in its directory. */
    public static final String FILE = "raw.csv";

    private static final Pattern PROFILE = Pattern.compile("^# .*, profile (\\w+)");

    private final List<Row> rows = new ArrayList<>();
    private final BufferedWriter out;

    /**
     * Opens or continues the file.
     *
     * @param identity build and profile, in one line
     * @param manifest machine and settings of this call, in any number of lines
     * @throws IllegalArgumentException if the directory has rows of something else
     */
    public Results(Path directory, String identity, String manifest) {
        Path file = directory.resolve(FILE);
        try {
            Files.createDirectories(directory);
            boolean continues = Files.exists(file);
            if (continues) {
                rows.addAll(earlier(file, identity));
            }
            out = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            if (!continues) {
                write("# " + identity);
                write(String.join(",", Row.columns()));
            }
            for (String line : manifest.split("\n")) {
                write("# " + line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Row> earlier(Path file, String identity) throws IOException {
        String text = Files.readString(file);
        String first = text.lines().findFirst().orElse("");
        if (!first.equals("# " + identity)) {
            throw new IllegalArgumentException(file + " begins with '" + first + "', and this is '# " + identity
                    + "': name another directory, or remove that one");
        }
        int end = text.lastIndexOf('\n') + 1;
        if (end < text.length()) {
            Files.writeString(file, text.substring(0, end));
        }
        return read(file, Row.columns()::equals);
    }

    /** Returns the profile that the first line of a file names; empty if it names none. */
    public static String profile(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.findFirst()
                    .map(PROFILE::matcher)
                    .filter(Matcher::find)
                    .map(found -> found.group(1))
                    .orElse("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads the rows of a file. An older build may have written fewer columns: what it did not measure is absent.
     *
     * @throws IllegalArgumentException if this build does not know one of its columns
     */
    public static List<Row> read(Path file) {
        return read(file, Row.columns()::containsAll);
    }

    private static List<Row> read(Path file, Predicate<List<String>> fits) {
        try {
            List<String> lines = Files.readAllLines(file).stream()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
            if (lines.isEmpty()) {
                return List.of();
            }
            List<String> header = List.of(lines.get(0).split(",", -1));
            if (!fits.test(header)) {
                throw new IllegalArgumentException(file + " has other columns than this build writes: name another"
                        + " directory. It has " + header + ", and wanted are " + Row.columns());
            }
            return lines.stream().skip(1).map(line -> Row.of(header, line)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String line) throws IOException {
        out.write(line);
        out.newLine();
        out.flush();
    }

    void add(Row row) {
        rows.add(row);
        try {
            write(row.line());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean has(String suite, String engine, Case one, int round) {
        return rows.stream().anyMatch(row -> row.isOf(suite, engine, one, round));
    }

    /** Returns all rows, those of earlier calls first. */
    public List<Row> rows() {
        return Collections.unmodifiableList(rows);
    }

    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
