package io.ringtable.benchmarks.page;

import io.ringtable.benchmarks.claim.Claims;
import io.ringtable.benchmarks.claim.Judge;
import io.ringtable.benchmarks.claim.Verdict;
import io.ringtable.benchmarks.suite.Results;
import io.ringtable.benchmarks.suite.Row;
import io.ringtable.benchmarks.suite.Suite;
import io.ringtable.benchmarks.suite.Suites;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Holds what a page and a document show of a run. Thread: any.
 *
 * @param command the one that measured the rows
 * @param manifest build, machine and settings, line by line
 * @param suites whose rows are shown, in their order
 */
public record Report(
        String command, List<String> manifest, List<Suite> suites, List<Row> rows, List<Verdict> verdicts) {

    /**
     * Reads the raw data of a directory, and judges the claims of this build by it.
     *
     * @throws IllegalArgumentException if the data has other columns than this build writes
     */
    public static Report read(Path directory, String command) {
        Path file = directory.resolve(Results.FILE);
        List<Row> rows = Results.read(file);
        List<String> engines = rows.stream().map(Row::engine).distinct().toList();
        return new Report(
                command, manifest(file), Suites.ofTheBuild(), rows, Judge.verdicts(Claims.ofTheBuild(), rows, engines));
    }

    private static List<String> manifest(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith("#"))
                    .map(line -> line.substring(1).strip())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the engines that have rows of a suite, in the suite's order. */
    List<String> engines(Suite suite) {
        return suite.engines().stream()
                .filter(engine -> !rows(suite, engine).isEmpty())
                .toList();
    }

    List<Row> rows(Suite suite, String engine) {
        return rows.stream()
                .filter(row -> row.suite().equals(suite.name()) && row.engine().equals(engine))
                .toList();
    }

    /** Returns the suites that have rows. */
    List<Suite> measuredSuites() {
        return suites.stream().filter(suite -> !engines(suite).isEmpty()).toList();
    }
}
