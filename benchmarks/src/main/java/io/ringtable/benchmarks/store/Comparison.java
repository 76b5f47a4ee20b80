package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.FsyncProbe;
import io.ringtable.benchmarks.option.Options;
import io.ringtable.benchmarks.report.Manifest;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.report.RawData;
import io.ringtable.benchmarks.report.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Runs the cases of a suite in turn, round after round, with the disk's raw sync before each, and compares them round
 * by round. A noisy neighbour disturbs all cases of a round alike, so the ratio of a round says more than its figures.
 * <p>
 * {@code compare [suite=batches,subscribers,sizes] [engines=sqlite,postgresql] [rounds=5] [seconds=2] [warmup=3]}; each
 * suite ends with a table of medians. Thread: main.
 */
public final class Comparison {
    private final Databases databases;
    private final FsyncProbe probe;
    private final int rounds;
    private final double seconds;
    private final double warmup;

    /** Holds what one round found about one case. */
    private record Finding(double rawSyncMicros, Measurement measured) {}

    private Comparison(Databases databases, FsyncProbe probe, int rounds, double seconds, double warmup) {
        this.databases = databases;
        this.probe = probe;
        this.rounds = rounds;
        this.seconds = seconds;
        this.warmup = warmup;
    }

    public static void main(String[] args) {
        Options options = new Options(args, "suite", "engines", "rounds", "seconds", "warmup");
        String manifest = Manifest.describe();
        System.out.println(manifest);
        try (Databases databases = new Databases();
                FsyncProbe probe = new FsyncProbe(databases.directory())) {
            Comparison comparison = new Comparison(
                    databases,
                    probe,
                    options.number("rounds", 5),
                    options.decimal("seconds", 2),
                    options.decimal("warmup", 3));
            for (String engine : options.list("engines", String.join(",", Databases.ENGINES))) {
                String description = Workloads.describe(databases, engine);
                System.out.println(description);
                for (String suite : options.list("suite", "batches,subscribers,sizes")) {
                    comparison.run(
                            Suite.valueOf(suite.toUpperCase(Locale.ROOT)), engine, manifest + "\n" + description);
                }
            }
        }
    }

    private void run(Suite suite, String engine, String manifest) {
        String name = suite.name().toLowerCase(Locale.ROOT);
        List<Suite.Case> cases = suite.cases(engine);
        List<Workload> workloads = new ArrayList<>();
        try (RawData raw = new RawData(
                engine + "-" + name,
                manifest,
                "engine,suite,case,batch,subscribers,addresses,backlog_rows,round,raw_sync_us,messages_per_s,"
                        + "log_bytes_per_message,cpu_us_per_message,commit_median_us,commit_p99_us")) {
            for (Suite.Case one : cases) {
                Workload workload = one.open(databases);
                workloads.add(workload);
                Measurement.of(workload, warmup);
            }
            Finding[][] findings = new Finding[cases.size()][rounds];
            for (int round = 0; round < rounds; round++) {
                for (int i : Suite.order(cases.size(), round)) {
                    Finding found = measure(workloads.get(i));
                    findings[i][round] = found;
                    write(raw, engine, name, cases.get(i), round, found);
                }
            }
            System.out.println();
            System.out.println(engine + ", " + name + ", median of " + rounds + " rounds of " + seconds + " s each:");
            System.out.println();
            System.out.println(table(cases, findings));
        } finally {
            workloads.forEach(Workload::close);
        }
    }

    private Finding measure(Workload workload) {
        double sync = probe.medianMicros();
        Measurement.of(workload, seconds / 10); // its pages and its code have cooled down while others ran
        return new Finding(sync, Measurement.of(workload, seconds));
    }

    private static void write(RawData raw, String engine, String suite, Suite.Case one, int round, Finding found) {
        Shape shape = one.shape();
        Measurement m = found.measured();
        raw.row(
                engine,
                suite,
                one.name(),
                shape.batch(),
                shape.subscribers(),
                shape.addresses(),
                shape.backlogRows(),
                round,
                found.rawSyncMicros(),
                m.messagesPerSecond(),
                m.logBytesPerMessage(),
                m.cpuMicrosPerMessage(),
                m.commitMedianMicros(),
                m.commitP99Micros());
    }

    private Table table(List<Suite.Case> cases, Finding[][] findings) {
        Table table = new Table(
                "case",
                "msg/s",
                "slowest",
                "fastest",
                "x first",
                "log B/msg",
                "CPU us/msg",
                "commit ms",
                "p99 ms",
                "raw sync ms");
        for (int i = 0; i < cases.size(); i++) {
            double[] rates = each(findings[i], f -> f.measured().messagesPerSecond());
            double[] ratios = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                ratios[round] = rates[round] / findings[0][round].measured().messagesPerSecond();
            }
            table.row(
                    cases.get(i).name(),
                    Numbers.rate(Numbers.median(rates)),
                    Numbers.rate(Arrays.stream(rates).min().orElseThrow()),
                    Numbers.rate(Arrays.stream(rates).max().orElseThrow()),
                    Numbers.with(2, Numbers.median(ratios)),
                    Numbers.with(0, median(findings[i], f -> f.measured().logBytesPerMessage())),
                    Numbers.with(2, median(findings[i], f -> f.measured().cpuMicrosPerMessage())),
                    Numbers.with(2, median(findings[i], f -> f.measured().commitMedianMicros()) / 1e3),
                    Numbers.with(2, median(findings[i], f -> f.measured().commitP99Micros()) / 1e3),
                    Numbers.with(3, median(findings[i], Finding::rawSyncMicros) / 1e3));
        }
        return table;
    }

    private static double[] each(Finding[] findings, ToDoubleFunction<Finding> figure) {
        return Arrays.stream(findings).mapToDouble(figure).toArray();
    }

    private static double median(Finding[] findings, ToDoubleFunction<Finding> figure) {
        return Numbers.median(each(findings, figure));
    }
}
