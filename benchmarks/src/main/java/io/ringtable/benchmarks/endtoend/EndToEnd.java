package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.Options;
import io.ringtable.benchmarks.engine.FsyncProbe;
import io.ringtable.benchmarks.report.Manifest;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.report.RawData;
import io.ringtable.benchmarks.report.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.apache.activemq.artemis.utils.VersionLoader;

/**
 * Sends durable messages of 300 bytes through a broker in a process of its own, with real clients in this process.
 * Every round runs every scenario on a fresh broker and an empty store.
 * <p>
 * The clients share the machine with the broker, so two figures of the same run tell how good a rate is: what the
 * clients alone could reach ({@link Load.Figures#clientsAlonePerSecond}), and what another durable broker does with
 * the same clients ({@code brokers=ringtable,artemis}). The brokers take turns within each round, and each round begins
 * with another one. A ratio is the median of the rounds' own ratios; beside it stands what the median reaches
 * at least, with 95 % confidence. Scenarios of Ringtable's own client run on Ringtable alone. To measure what a change
 * costs, run {@code brokers=ringtable,baseline} with 12 rounds or more; {@code predecessor} is a third build.
 * <p>
 * {@code endtoend [brokers=ringtable,artemis] [scenarios=1:1,8:8,…] [rounds=3] [seconds=10] [warmup=30] [jvm=-Xmx1g]
 * [store.url=…] [store.username=…] [store.password=…]}; without a URL the store is SQLite. In a URL, {@code {run}}
 * stands for a name such as {@code 8-8-baseline-0}, so that each run has a database of its own. These databases have to
 * exist. Thread: main.
 */
public final class EndToEnd {
    /** Earlier the JVMs' compilers take a sixth of two processors and more; later 3 %. */
    private static final double WARM_UP_SECONDS = 30;

    private EndToEnd() {}

    private record Case(Scenario scenario, Broker broker) {}

    private record Finding(double rawSyncMicros, Load.Figures figures) {}

    public static void main(String[] args) throws Exception {
        Options options = new Options(
                args,
                "brokers",
                "scenarios",
                "rounds",
                "seconds",
                "warmup",
                "jvm",
                "store.url",
                "store.username",
                "store.password");
        List<Broker> brokers = options.list("brokers", Broker.RINGTABLE.label()).stream()
                .map(Broker::named)
                .toList();
        String manifest = Manifest.describe() + "\nendtoend " + String.join(" ", described(args)) + versions(brokers);
        System.out.println(manifest);
        Path directory = Files.createTempDirectory(
                Path.of(System.getProperty("bench.dir", System.getProperty("java.io.tmpdir"))), "ringtable-e2e-");
        List<Scenario> scenarios = options.list("scenarios", "1:1,8:8,sync,fanout,paced,sdk").stream()
                .map(Scenario::named)
                .toList();
        Map<Case, List<Finding>> findings = new LinkedHashMap<>();
        try (FsyncProbe probe = new FsyncProbe(directory);
                RawData raw = new RawData(
                        "endtoend",
                        manifest,
                        "scenario,broker,round,raw_sync_us,accepted_per_s,received_per_s,latency_median_ms,"
                                + "latency_p99_ms,broker_cpu_us_per_message,broker_cpus,broker_bytes_per_message,"
                                + "client_cpu_us_per_message,"
                                + "clients_alone_per_s,other_cpus,flushes_per_s,messages_per_flush,flush_ms")) {
            for (int round = 0; round < options.number("rounds", 3); round++) {
                for (Scenario scenario : scenarios) {
                    for (Broker broker : inTurn(brokers, round)) {
                        if (scenario.sdk() && !broker.isOurs()) {
                            continue;
                        }
                        Case tried = new Case(scenario, broker);
                        String name = scenario.name().replace(':', '-') + "-" + broker.label() + "-" + round;
                        Finding finding =
                                new Finding(probe.medianMicros(), run(tried, directory.resolve(name), options));
                        findings.computeIfAbsent(tried, key -> new ArrayList<>())
                                .add(finding);
                        write(raw, tried, round, finding);
                    }
                }
            }
        }
        System.out.println(table(findings));
        for (Broker other : brokers.subList(1, brokers.size())) {
            System.out.println(ratios(scenarios, brokers.get(0), other, findings));
        }
        delete(directory);
    }

    /** Returns the arguments without a password. */
    private static List<String> described(String[] args) {
        return Arrays.stream(args)
                .filter(arg -> !arg.startsWith("store.password="))
                .toList();
    }

    private static String versions(List<Broker> brokers) {
        return brokers.contains(Broker.ARTEMIS)
                ? "\nArtemis " + VersionLoader.getVersion().getFullVersion() + ", journal " + ArtemisServer.journal()
                : "";
    }

    private static Load.Figures run(Case tried, Path directory, Options options) {
        List<String> arguments = new ArrayList<>();
        for (String store : List.of("store.url", "store.username", "store.password")) {
            if (tried.broker().isOurs() && !options.text(store, "").isEmpty()) {
                String run = String.valueOf(directory.getFileName());
                arguments.add(
                        "--ringtable." + store + "=" + options.text(store, "").replace("{run}", run));
            }
        }
        List<String> jvm = Arrays.asList(options.text("jvm", "-Xmx1g").split(" "));
        try (BrokerProcess broker = BrokerProcess.start(tried.broker(), directory.resolve("data"), jvm, arguments)
                .awaitListening()) {
            try (Load load = Load.begin(tried.scenario(), broker.port())) {
                load.watch(broker, options.decimal("warmup", WARM_UP_SECONDS));
                return load.watch(broker, options.decimal("seconds", 10));
            }
        }
    }

    /** Returns the brokers in the order of a round: each round begins with another one, so that each has each place. */
    static List<Broker> inTurn(List<Broker> brokers, int round) {
        List<Broker> turn = new ArrayList<>(brokers);
        Collections.rotate(turn, -round);
        return turn;
    }

    private static void write(RawData raw, Case tried, int round, Finding finding) {
        Load.Figures f = finding.figures();
        raw.row(
                tried.scenario().name(),
                tried.broker().label(),
                round,
                finding.rawSyncMicros(),
                f.acceptedPerSecond(),
                f.receivedPerSecond(),
                f.latencyMedianMs(),
                f.latencyP99Ms(),
                f.cpuMicros(),
                f.cpuShare(),
                f.allocatedBytes(),
                f.clientCpuMicros(),
                f.clientsAlonePerSecond(),
                f.otherCpus(),
                f.flushesPerSecond(),
                f.flushMessages(),
                f.flushMs());
    }

    private static Table table(Map<Case, List<Finding>> findings) {
        Table table = new Table(
                "scenario",
                "broker",
                "accepted/s",
                "received/s",
                "slowest",
                "latency ms",
                "p99 ms",
                "broker CPU us/msg",
                "broker CPUs",
                "broker B/msg",
                "client CPU us/msg",
                "clients alone/s",
                "other CPUs",
                "msg/flush",
                "flush ms",
                "raw sync ms");
        findings.forEach((tried, found) -> table.row(
                tried.scenario().name(),
                tried.broker().label(),
                Numbers.rate(median(found, Load.Figures::acceptedPerSecond)),
                Numbers.rate(median(found, Load.Figures::receivedPerSecond)),
                Numbers.rate(found.stream()
                        .mapToDouble(f -> f.figures().acceptedPerSecond())
                        .min()
                        .orElse(Double.NaN)),
                Numbers.with(2, median(found, Load.Figures::latencyMedianMs)),
                Numbers.with(2, median(found, Load.Figures::latencyP99Ms)),
                Numbers.with(1, median(found, Load.Figures::cpuMicros)),
                Numbers.with(2, median(found, Load.Figures::cpuShare)),
                Numbers.rate(median(found, Load.Figures::allocatedBytes)),
                Numbers.with(1, median(found, Load.Figures::clientCpuMicros)),
                Numbers.rate(median(found, Load.Figures::clientsAlonePerSecond)),
                Numbers.with(2, median(found, Load.Figures::otherCpus)),
                Numbers.with(1, median(found, Load.Figures::flushMessages)),
                Numbers.with(2, median(found, Load.Figures::flushMs)),
                Numbers.with(
                        3,
                        Numbers.median(found.stream()
                                        .mapToDouble(Finding::rawSyncMicros)
                                        .toArray())
                                / 1e3)));
        return table;
    }

    private static double median(List<Finding> found, ToDoubleFunction<Load.Figures> figure) {
        return Numbers.median(values(found, figure));
    }

    private static Table ratios(List<Scenario> scenarios, Broker one, Broker other, Map<Case, List<Finding>> findings) {
        Table table = new Table(
                one.label() + " : " + other.label(),
                "accepted/s",
                "from",
                "to",
                "at least",
                "received/s",
                "at least",
                "latency",
                "p99",
                "broker CPU us/msg",
                "broker B/msg",
                "client CPU us/msg");
        for (Scenario scenario : scenarios) {
            List<Finding> ones = findings.getOrDefault(new Case(scenario, one), List.of());
            List<Finding> others = findings.getOrDefault(new Case(scenario, other), List.of());
            if (ones.size() == others.size()) {
                double[] accepted = ratios(ones, others, Load.Figures::acceptedPerSecond);
                double[] received = ratios(ones, others, Load.Figures::receivedPerSecond);
                table.row(
                        scenario.name(),
                        Numbers.with(2, Numbers.median(accepted)),
                        Numbers.with(2, Numbers.percentile(accepted, 0)),
                        Numbers.with(2, Numbers.percentile(accepted, 1)),
                        Numbers.with(3, Numbers.medianAtLeast(accepted)),
                        Numbers.with(2, Numbers.median(received)),
                        Numbers.with(3, Numbers.medianAtLeast(received)),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Load.Figures::latencyMedianMs))),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Load.Figures::latencyP99Ms))),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Load.Figures::cpuMicros))),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Load.Figures::allocatedBytes))),
                        Numbers.with(2, Numbers.median(ratios(ones, others, Load.Figures::clientCpuMicros))));
            }
        }
        return table;
    }

    private static double[] ratios(List<Finding> ones, List<Finding> others, ToDoubleFunction<Load.Figures> figure) {
        return Numbers.ratios(values(ones, figure), values(others, figure));
    }

    private static double[] values(List<Finding> found, ToDoubleFunction<Load.Figures> figure) {
        return found.stream()
                .mapToDouble(finding -> figure.applyAsDouble(finding.figures()))
                .toArray();
    }

    /** Removes the directory of a run with everything in it. */
    static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
