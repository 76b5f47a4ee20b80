package io.ringtable.benchmarks.bench;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.suite.Profile;
import io.ringtable.benchmarks.suite.Results;
import io.ringtable.benchmarks.suite.Suite;
import io.ringtable.benchmarks.suite.Suites;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Reads the command line of {@code bin/ringtable bench}. Thread: the main one. */
@Command(
        name = "bench",
        description = {
            "Measures the articles' queues and Ringtable's flush on real databases, and judges what is claimed.",
            "Interrupt it when you like: the same command goes on with what is missing."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class BenchCommand implements Callable<Integer> {

    @Option(
            names = "--profile",
            defaultValue = "quick",
            paramLabel = "PROFILE",
            description =
                    "smoke (does all of it run?), quick (minutes), standard (half an hour for each engine) or full"
                            + " (hours). Default: quick.")
    private String profile;

    @Option(
            names = "--engine",
            split = ",",
            paramLabel = "ENGINE",
            description = "sqlite, postgresql or sqlserver; several with commas. Default: sqlite,postgresql.")
    private List<String> engines = Databases.ENGINES;

    @Option(
            names = "--suite",
            split = ",",
            paramLabel = "SUITE",
            description = "Only these suites; several with commas. Default: all.")
    private List<String> suites = List.of();

    @Option(
            names = "--out",
            paramLabel = "DIRECTORY",
            description = "Where raw.csv, index.html and tables.md go. Default: bench-<profile>.")
    private Path out;

    @Option(
            names = "--unsynced",
            description = "Lets the engines sync nothing, to show that such runs are marked and stand for no claim.")
    private boolean unsynced;

    @Option(
            names = "--report",
            description = "Measures nothing: judges the raw.csv that is there, and writes its page and tables anew.")
    private boolean report;

    @Spec
    private CommandSpec spec;

    /** Runs with the words behind {@code bench}, and ends the process. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8))
                .setUsageHelpAutoWidth(true)
                .execute(args));
    }

    @Override
    public Integer call() {
        Profile chosen = profile();
        Path directory = out == null ? Path.of("bench-" + chosen + (unsynced ? "-unsynced" : "")) : out;
        Bench bench = new Bench(
                chosen,
                engines,
                suites(),
                directory,
                !unsynced,
                spec.commandLine().getOut());
        if (report) {
            requireRows(directory.resolve(Results.FILE), chosen);
            bench.report();
            return 0;
        }
        return bench.run() ? 0 : 1;
    }

    private void requireRows(Path file, Profile chosen) {
        if (!Files.exists(file)) {
            throw new ParameterException(spec.commandLine(), "--report: there is no " + file);
        }
        String profileOfRows = Results.profile(file);
        if (!profileOfRows.equals(chosen.toString())) {
            throw new ParameterException(
                    spec.commandLine(), "--report: " + file + " has rows of --profile " + profileOfRows);
        }
    }

    private Profile profile() {
        try {
            return Profile.valueOf(profile.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(), "--profile=" + profile + " is none of " + List.of(Profile.values()));
        }
    }

    private List<Suite> suites() {
        List<Suite> all = Suites.ofTheBuild();
        List<String> names = all.stream().map(Suite::name).toList();
        for (String name : suites) {
            if (!names.contains(name)) {
                throw new ParameterException(spec.commandLine(), "--suite=" + name + " is none of " + names);
            }
        }
        return all.stream()
                .filter(suite -> suites.isEmpty() || suites.contains(suite.name()))
                .toList();
    }
}
