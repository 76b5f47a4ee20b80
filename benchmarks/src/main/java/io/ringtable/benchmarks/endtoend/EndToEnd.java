package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.figure.Figure;
import io.ringtable.benchmarks.endtoend.figure.Figures;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.FsyncProbe;
import io.ringtable.benchmarks.option.Options;
import io.ringtable.benchmarks.report.Manifest;
import io.ringtable.benchmarks.report.RawData;
import io.ringtable.benchmarks.store.Workloads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.activemq.artemis.utils.VersionLoader;

/**
 * Sends durable messages, with real clients in this process, through a broker in a process of its own or a naive queue
 * in a database. Every round runs every {@link Scenario} on a fresh broker and an empty store.
 * <p>
 * The clients share the machine with the broker, so two figures of the same run tell how good a rate is. One is what
 * the clients alone could reach ({@link Figure#CLIENTS_ALONE_PER_S}). The other is what another durable broker does
 * with the same clients ({@code brokers=ringtable,artemis}). The naive queue ({@code naive} with a commit per message,
 * {@code naive-batched}) has as many clients, which work on the database themselves.
 * <p>
 * The brokers take turns within each round, and each round begins with another one. A ratio is the median of the
 * rounds' own ratios; beside it stands what the median reaches at least, with 95 % confidence. To measure what a change
 * costs, run {@code brokers=ringtable,baseline} with 12 rounds or more; {@code predecessor} is a third build. A broker
 * that a scenario says nothing about is left out of it ({@link Broker#runs}).
 * <p>
 * {@code endtoend [brokers=ringtable,artemis,naive,naive-batched] [engine=sqlite|postgresql|sqlserver]
 * [scenarios=1:1,8:8,…] [rounds=3] [seconds=10] [warmup=30] [messages=100000] [soak=60] [batch=1000] [poll=10]
 * [jvm=-Xmx1g]}; {@code engine} is that of Ringtable's store and of the naive queues. Thread: main.
 */
public final class EndToEnd {
    /** Earlier the JVMs' compilers take a sixth of two processors and more; later 3 %. */
    private static final double WARM_UP_SECONDS = 30;

    private final Path directory;
    private final Subjects subjects;
    private final Trial trial;
    private final RawData raw;
    private final Findings findings = new Findings();
    private final Set<Broker> described = EnumSet.noneOf(Broker.class);

    private EndToEnd(Path directory, Subjects subjects, Trial trial, RawData raw) {
        this.directory = directory;
        this.subjects = subjects;
        this.trial = trial;
        this.raw = raw;
    }

    public static void main(String[] args) throws Exception {
        run(args);
    }

    /** Runs what the arguments say, and prints it. */
    static Findings run(String[] args) throws Exception {
        Options options = new Options(
                args,
                "brokers",
                "engine",
                "scenarios",
                "rounds",
                "seconds",
                "warmup",
                "messages",
                "soak",
                "batch",
                "poll",
                "jvm");
        List<Broker> brokers = options.list("brokers", Broker.RINGTABLE.label()).stream()
                .map(Broker::named)
                .toList();
        List<Scenario> scenarios = options.list("scenarios", "1:1,8:8,sync,fanout,paced,sdk").stream()
                .map(Scenario::named)
                .toList();
        Trial trial = new Trial(
                options.decimal("seconds", 10),
                options.decimal("warmup", WARM_UP_SECONDS),
                options.number("messages", 100_000),
                options.decimal("soak", 60));
        Path directory = Files.createTempDirectory(
                Path.of(System.getProperty("bench.dir", System.getProperty("java.io.tmpdir"))), "ringtable-e2e-");
        Findings findings;
        try (Databases databases = new Databases()) {
            Subjects subjects = new Subjects(
                    databases,
                    options.text("engine", Databases.SQLITE),
                    List.of(options.text("jvm", "-Xmx1g").split(" ")),
                    options.number("batch", 1_000),
                    Duration.ofMillis(options.number("poll", 10)));
            String manifest =
                    Manifest.describe() + "\nendtoend " + String.join(" ", args) + versions(brokers, subjects);
            System.out.println(manifest);
            try (RawData raw = new RawData("endtoend", manifest, columns())) {
                EndToEnd run = new EndToEnd(directory, subjects, trial, raw);
                run.rounds(options.number("rounds", 3), scenarios, brokers);
                System.out.println(run.findings.table());
                for (Broker other : brokers.subList(1, brokers.size())) {
                    System.out.println(run.findings.ratios(brokers.get(0), other));
                }
                findings = run.findings;
            }
        }
        delete(directory);
        return findings;
    }

    private static String versions(List<Broker> brokers, Subjects subjects) {
        String engine = "\n" + Workloads.describe(subjects.databases(), subjects.engine());
        return brokers.contains(Broker.ARTEMIS)
                ? engine + "\nArtemis " + VersionLoader.getVersion().getFullVersion() + ", journal "
                        + ArtemisServer.journal()
                : engine;
    }

    private static String[] columns() {
        return Stream.concat(
                        Stream.of("scenario", "broker", "round", "part", "raw_sync_us"),
                        Stream.of(Figure.values()).map(Figure::column))
                .toArray(String[]::new);
    }

    private void rounds(int rounds, List<Scenario> scenarios, List<Broker> brokers) {
        try (FsyncProbe probe = new FsyncProbe(directory)) {
            for (int round = 0; round < rounds; round++) {
                for (Scenario scenario : scenarios) {
                    for (Broker broker : inTurn(brokers, round)) {
                        if (broker.runs(scenario)) {
                            run(scenario, broker, round, probe.medianMicros());
                        }
                    }
                }
            }
        }
    }

    /** Returns the brokers in the order of a round: each round begins with another one, so that each has each place. */
    static List<Broker> inTurn(List<Broker> brokers, int round) {
        List<Broker> turn = new ArrayList<>(brokers);
        Collections.rotate(turn, -round);
        return turn;
    }

    private void run(Scenario scenario, Broker broker, int round, double rawSyncMicros) {
        Path place = directory.resolve(scenario.name().replaceAll("\\W", "-") + "-" + broker.label() + "-" + round);
        trial.run(scenario, () -> start(broker, place), new Trial.Listener() {
            @Override
            public void found(String part, Figures figures) {
                write(part, figures);
                findings.add((scenario.name() + " " + part).strip(), broker, figures);
            }

            @Override
            public void sampled(double second, Figures figures) {
                write(String.format(Locale.ROOT, "until %.0f s", second), figures);
            }

            private void write(String part, Figures figures) {
                List<Object> row =
                        new ArrayList<>(List.of(scenario.name(), broker.label(), round, part, rawSyncMicros));
                for (Figure figure : Figure.values()) {
                    row.add(figures.get(figure));
                }
                raw.row(row.toArray());
            }
        });
        delete(place);
    }

    /** Starts the broker on an empty store, and notes once what it says about durability. */
    private Subject start(Broker broker, Path place) {
        delete(place);
        Subject subject = subjects.start(broker, place);
        try {
            String durability = broker.label() + ": " + subject.durability();
            if (described.add(broker)) {
                System.out.println(durability);
                raw.note(durability);
            }
            return subject;
        } catch (RuntimeException e) {
            subject.close();
            throw e;
        }
    }

    /** Removes the directory of a run with everything in it, if it is there. */
    static void delete(Path directory) {
        if (!Files.exists(directory)) {
            return; // a naive queue has its database elsewhere
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
