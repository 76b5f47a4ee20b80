package io.ringtable.benchmarks.page;

import io.ringtable.benchmarks.claim.Claims;
import io.ringtable.benchmarks.claim.Judge;
import io.ringtable.benchmarks.claim.Verdict;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Results;
import io.ringtable.benchmarks.suite.Row;
import io.ringtable.benchmarks.suite.Suite;
import io.ringtable.benchmarks.suite.Suites;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Holds what a page and a document show of a run. Thread: any.
 *
 * @param command the one that measured the rows
 * @param manifest build, machine and settings, line by line
 * @param suites whose rows are shown, in their order
 */
public record Report(
        String command, List<String> manifest, List<Suite> suites, List<Row> rows, List<Verdict> verdicts) {
    private static final double PACE_MAX = 3;

    /**
     * Reads the raw data of a directory, and judges the claims of this build by it.
     *
     * @param command returns the one that measures these engines
     * @throws IllegalArgumentException if the data has other columns than this build writes
     */
    public static Report read(Path directory, Function<List<String>, String> command) {
        Path file = directory.resolve(Results.FILE);
        List<Row> rows = Results.read(file);
        List<String> engines = rows.stream().map(Row::engine).distinct().toList();
        List<String> manifest = manifest(file);
        return new Report(
                command.apply(engines),
                manifest,
                Suites.ofTheBuild(),
                rows,
                Judge.verdicts(Claims.ofTheBuild(), rows, engines, engine -> processors(manifest, engine)));
    }

    /** Returns the fewest that a call had; a server elsewhere says its own, or nobody knows. */
    private static int processors(List<String> manifest, String engine) {
        if (engine.equals(Databases.POSTGRESQL)
                && manifest.stream().anyMatch(line -> line.startsWith("PostgreSQL, external, "))) {
            return Integer.MAX_VALUE;
        }
        Pattern its = engine.equals(Databases.SQLSERVER)
                ? Pattern.compile("^SQL Server, external, .*\\bprocessors=(\\d+)\\b")
                : Pattern.compile("^(\\d+) processors \\(");
        return manifest.stream()
                .map(its::matcher)
                .filter(Matcher::find)
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .min()
                .orElse(Integer.MAX_VALUE);
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

    /**
     * Returns how long the disk took for a synced write right before the runs, and whether it kept its pace. Durable
     * designs are as slow as the disk. Empty if no row says so.
     */
    Optional<String> disk() {
        double[] micros = rows.stream()
                .map(row -> row.cell(Figure.RAW_SYNC_US.column()))
                .filter(cell -> !cell.isEmpty())
                .mapToDouble(Double::parseDouble)
                .toArray();
        if (micros.length == 0) {
            return Optional.empty();
        }
        double low = Numbers.percentile(micros, 0.05);
        double high = Numbers.percentile(micros, 0.95);
        return Optional.of("A synced write of a page took " + Numbers.significant(Numbers.median(micros))
                + " µs right before a run; nine of ten took " + Numbers.significant(low) + " to "
                + Numbers.significant(high) + " µs."
                + (high > PACE_MAX * low
                        ? " This disk did not keep its pace, and figures of durable designs scatter with it."
                        : ""));
    }

    /** Returns how many runs were to be durable and were not; empty if none. */
    Optional<String> notDurable() {
        List<Row> wanted = rows.stream().filter(row -> row.one().isDurable()).toList();
        long not = wanted.stream().filter(Row::isNotDurable).count();
        return not == 0
                ? Optional.empty()
                : Optional.of("NOT DURABLE: " + not + " of " + wanted.size()
                        + " runs that were to be durable were not. They are marked below, and stand for no claim.");
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
