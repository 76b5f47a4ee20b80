package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.Options;
import io.ringtable.benchmarks.report.Manifest;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.report.RawData;
import io.ringtable.benchmarks.report.Table;
import io.ringtable.benchmarks.store.FsyncProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Durable messages of 300 bytes through a broker in a process of its own, from and to real clients in this one; every round
 * runs every scenario on a fresh broker and an empty store.
 * <p>
 * {@code endtoend [scenarios=1:1,8:8,…] [rounds=3] [seconds=10] [warmup=5] [jvm=-Xmx1g] [store.url=…] [store.username=…]
 * [store.password=…]}; without a URL the store is SQLite. Thread: main.
 */
public final class EndToEnd {
    private EndToEnd() {}

    private record Finding(double rawSyncMicros, Load.Figures figures) {}

    public static void main(String[] args) throws Exception {
        Options options = new Options(
                args,
                "scenarios",
                "rounds",
                "seconds",
                "warmup",
                "jvm",
                "store.url",
                "store.username",
                "store.password");
        String manifest = Manifest.describe();
        System.out.println(manifest);
        Path directory = Files.createTempDirectory(
                Path.of(System.getProperty("bench.dir", System.getProperty("java.io.tmpdir"))), "ringtable-e2e-");
        List<Scenario> scenarios = options.list("scenarios", "1:1,8:8,sync,fanout,paced,sdk").stream()
                .map(Scenario::named)
                .toList();
        Map<Scenario, List<Finding>> findings = new LinkedHashMap<>();
        scenarios.forEach(scenario -> findings.put(scenario, new ArrayList<>()));
        try (FsyncProbe probe = new FsyncProbe(directory);
                RawData raw = new RawData(
                        "endtoend",
                        manifest,
                        "scenario,round,raw_sync_us,accepted_per_s,received_per_s,latency_median_ms,latency_p99_ms,"
                                + "broker_cpu_us_per_message,broker_cpus,flushes_per_s,messages_per_flush,flush_ms")) {
            for (int round = 0; round < options.number("rounds", 3); round++) {
                for (Scenario scenario : scenarios) {
                    Finding finding = new Finding(
                            probe.medianMicros(),
                            run(scenario, directory.resolve(scenario.name().replace(':', '-') + "-" + round), options));
                    findings.get(scenario).add(finding);
                    write(raw, scenario, round, finding);
                }
            }
        }
        System.out.println(table(findings));
        delete(directory);
    }

    private static Load.Figures run(Scenario scenario, Path directory, Options options) {
        List<String> arguments = new ArrayList<>();
        for (String store : List.of("store.url", "store.username", "store.password")) {
            if (!options.text(store, "").isEmpty()) {
                arguments.add("--ringtable." + store + "=" + options.text(store, ""));
            }
        }
        List<String> jvm = Arrays.asList(options.text("jvm", "-Xmx1g").split(" "));
        try (BrokerProcess broker =
                BrokerProcess.start(directory.resolve("data"), jvm, arguments).awaitListening()) {
            try (Load load = Load.begin(scenario, broker.port())) {
                load.watch(broker, options.decimal("warmup", 5));
                return load.watch(broker, options.decimal("seconds", 10));
            }
        }
    }

    private static void write(RawData raw, Scenario scenario, int round, Finding finding) {
        Load.Figures f = finding.figures();
        raw.row(
                scenario.name(),
                round,
                finding.rawSyncMicros(),
                f.acceptedPerSecond(),
                f.receivedPerSecond(),
                f.latencyMedianMs(),
                f.latencyP99Ms(),
                f.cpuMicros(),
                f.cpuShare(),
                f.flushesPerSecond(),
                f.flushMessages(),
                f.flushMs());
    }

    private static Table table(Map<Scenario, List<Finding>> findings) {
        Table table = new Table(
                "scenario",
                "accepted/s",
                "received/s",
                "slowest",
                "latency ms",
                "p99 ms",
                "CPU us/msg",
                "CPUs",
                "msg/flush",
                "flush ms",
                "raw sync ms");
        findings.forEach((scenario, found) -> table.row(
                scenario.name(),
                Numbers.rate(median(found, f -> f.figures().acceptedPerSecond())),
                Numbers.rate(median(found, f -> f.figures().receivedPerSecond())),
                Numbers.rate(found.stream()
                        .mapToDouble(f -> f.figures().acceptedPerSecond())
                        .min()
                        .orElse(Double.NaN)),
                Numbers.with(2, median(found, f -> f.figures().latencyMedianMs())),
                Numbers.with(2, median(found, f -> f.figures().latencyP99Ms())),
                Numbers.with(1, median(found, f -> f.figures().cpuMicros())),
                Numbers.with(2, median(found, f -> f.figures().cpuShare())),
                Numbers.with(1, median(found, f -> f.figures().flushMessages())),
                Numbers.with(2, median(found, f -> f.figures().flushMs())),
                Numbers.with(3, median(found, Finding::rawSyncMicros) / 1e3)));
        return table;
    }

    private static double median(List<Finding> found, ToDoubleFunction<Finding> figure) {
        return Numbers.median(found.stream().mapToDouble(figure).toArray());
    }

    /** The directory of a run, removed with everything in it. */
    static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
