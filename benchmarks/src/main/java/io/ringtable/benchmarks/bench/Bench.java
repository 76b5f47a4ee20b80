package io.ringtable.benchmarks.bench;

import io.ringtable.benchmarks.claim.Verdict;
import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.FsyncProbe;
import io.ringtable.benchmarks.page.Markdown;
import io.ringtable.benchmarks.page.Page;
import io.ringtable.benchmarks.page.Report;
import io.ringtable.benchmarks.report.Manifest;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Profile;
import io.ringtable.benchmarks.suite.Results;
import io.ringtable.benchmarks.suite.Row;
import io.ringtable.benchmarks.suite.Suite;
import io.ringtable.benchmarks.suite.SuiteRunner;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Measures what is missing in a directory, and writes its page and tables anew. An interrupt ends it behind the run at
 * hand; what is measured stays, and the next call goes on.
 * <p>
 * Thread: the main one, and the hook of the process's end.
 */
final class Bench {
    private final Profile profile;
    private final List<String> engines;
    private final List<Suite> suites;
    private final Path directory;
    private final boolean synced;
    private final PrintWriter out;
    private volatile boolean stopped; // written by a signal
    private volatile SuiteRunner runner; // stopped by the hook; null before the first suite

    Bench(Profile profile, List<String> engines, List<Suite> suites, Path directory, boolean synced, PrintWriter out) {
        this.profile = profile;
        this.engines = engines;
        this.suites = suites;
        this.directory = directory;
        this.synced = synced;
        this.out = out;
    }

    /** Returns whether everything was measured. */
    boolean run() {
        Interrupt interrupt = new Interrupt(this::stop);
        try {
            boolean whole;
            try (Databases databases = synced ? new Databases() : Databases.unsynced();
                    Results results = new Results(directory, identity(), manifest(databases))) {
                whole = measure(databases, results);
            }
            write();
            if (stopped) {
                out.println("Interrupted: the same command goes on with what is missing.");
            }
            return whole;
        } finally {
            interrupt.close();
        }
    }

    /** Measures nothing: judges what the directory has, and writes its page and tables anew. */
    void report() {
        write();
    }

    private void stop() {
        stopped = true;
        SuiteRunner running = runner;
        if (running != null) {
            running.stop();
        }
    }

    private String identity() {
        return "Ringtable " + System.getProperty("bench.commit", "unknown commit") + ", profile " + profile
                + (synced ? "" : ", NOTHING IS SYNCED");
    }

    private String manifest(Databases databases) {
        StringBuilder lines = new StringBuilder(Manifest.describe());
        try (FsyncProbe probe = new FsyncProbe(databases.directory())) {
            lines.append(
                    String.format(Locale.ROOT, "%nsync of a page to this disk: median %.0f µs", probe.medianMicros()));
        }
        for (String engine : engines) {
            try (BenchmarkDatabase database = databases.create(engine)) {
                lines.append('\n').append(database.description());
            }
        }
        absent(new AllSubjects(databases)).forEach(line -> lines.append('\n').append(line));
        return lines.toString();
    }

    /** Returns a line for each design that an engine has not, with the reason. */
    private Set<String> absent(AllSubjects subjects) {
        Set<String> lines = new LinkedHashSet<>();
        for (String engine : engines) {
            suites.stream()
                    .filter(suite -> suite.engines().contains(engine))
                    .flatMap(suite -> suite.cases().get(profile).stream())
                    .forEach(one -> subjects.whyNot(engine, one)
                            .ifPresent(reason -> lines.add("not on " + engine + ": " + one.design() + ", " + reason)));
        }
        return lines;
    }

    private boolean measure(Databases databases, Results results) {
        try (RunProgress progress = new RunProgress()) {
            runner = new SuiteRunner(new AllSubjects(databases), results, profile, progress::begins);
            if (stopped) {
                runner.stop();
            }
            long runs = suites.stream()
                    .mapToLong(suite -> enginesOf(suite).stream()
                            .mapToLong(engine -> runner.runs(suite, engine))
                            .sum())
                    .sum();
            progress.of(runs);
            out.printf(
                    Locale.ROOT,
                    "%d runs of %d ms go to %s%n",
                    runs,
                    profile.each().toMillis(),
                    directory);
            for (Suite suite : suites) {
                for (String engine : enginesOf(suite)) {
                    runner.run(suite, engine);
                }
            }
            return !runner.isStopped() && reportFailures(results);
        }
    }

    /** Prints why runs have failed. @return whether none has */
    private boolean reportFailures(Results results) {
        List<Row> failed = results.rows().stream().filter(Row::isFailed).toList();
        for (Row row : failed) {
            out.println(row.suite() + ", " + row.engine() + ", " + row.one() + ": " + row.cell(Figure.NOTE.column()));
        }
        return failed.isEmpty();
    }

    private List<String> enginesOf(Suite suite) {
        return engines.stream().filter(suite.engines()::contains).toList();
    }

    private void write() {
        Report report = Report.read(directory, this::command);
        try {
            Files.writeString(directory.resolve("index.html"), Page.html(report));
            Files.writeString(directory.resolve("tables.md"), Markdown.text(report));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<Verdict.Outcome, Long> outcomes = report.verdicts().stream()
                .collect(Collectors.groupingBy(Verdict::outcome, TreeMap::new, Collectors.counting()));
        out.println(outcomes.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey().toString().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", ", "Claims: ", "")));
        out.println("Page: " + directory.resolve("index.html").toAbsolutePath().normalize());
    }

    /** Returns what measures these engines; earlier runs may have added rows of others to the directory. */
    private String command(List<String> measured) {
        return "bin/ringtable bench --profile " + profile + " --engine " + String.join(",", measured)
                + (synced ? "" : " --unsynced");
    }
}
