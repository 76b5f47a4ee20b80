package io.ringtable.benchmarks.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.report.CpuTime;
import io.ringtable.benchmarks.report.Numbers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The load rig once and briefly, against the broker's own jar; the figures mean nothing. */
class LoadRigSmokeTest {

    private static final List<String> COLD = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    @TempDir
    static Path directory;

    private static BrokerProcess broker;

    @BeforeAll
    static void startBroker() {
        Path root = Path.of(System.getProperty("ringtable.root", ".."));
        Path jar = root.resolve("broker/target/ringtable-broker.jar");
        Assumptions.assumeTrue(Files.exists(jar), jar + " has not been packaged");
        System.setProperty("bench.broker", jar.toString());
        broker = BrokerProcess.start(Broker.RINGTABLE, directory.resolve("data"), COLD, List.of())
                .awaitListening();
    }

    @AfterAll
    static void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"8:8", "fanout", "sync", "sdk"})
    void clientsPublishAndReceive(String name) {
        Scenario scenario = Scenario.named(name);
        try (Load load = Load.begin(scenario, broker.port())) {
            Load.Figures figures = load.watch(broker, 1);
            assertThat(figures.acceptedPerSecond()).as("accepted").isPositive();
            assertThat(figures.flushMessages()).as("messages per flush").isPositive();
            if (scenario.consumers() > 0) {
                assertThat(figures.receivedPerSecond()).as("received").isPositive();
            }
        }
    }

    @Test
    void bothBrokersAreMeasuredInARound() throws Exception {
        System.setProperty("bench.results", directory.resolve("results").toString());
        try {
            EndToEnd.main(new String[] {
                "brokers=ringtable,artemis",
                "scenarios=8:8",
                "rounds=1",
                "warmup=0",
                "seconds=2",
                "jvm=" + String.join(" ", COLD)
            });
        } finally {
            System.clearProperty("bench.results");
        }
        List<String[]> rows = Files.readAllLines(directory.resolve("results/endtoend.csv")).stream()
                .filter(line -> line.startsWith("8:8,"))
                .map(line -> line.split(","))
                .toList();
        assertThat(rows).extracting(row -> row[0] + " " + row[1]).containsExactly("8:8 ringtable", "8:8 artemis");
        assertThat(rows)
                .as("accepted")
                .allSatisfy(row -> assertThat(Double.parseDouble(row[4])).isPositive());
        assertThat(rows)
                .as("received")
                .allSatisfy(row -> assertThat(Double.parseDouble(row[5])).isPositive());
    }

    @Test
    void brokersTakeTurnsToBeFirst() {
        List<Broker> brokers = List.of(Broker.RINGTABLE, Broker.ARTEMIS);
        assertThat(EndToEnd.inTurn(brokers, 0)).isEqualTo(brokers);
        assertThat(EndToEnd.inTurn(brokers, 1)).containsExactly(Broker.ARTEMIS, Broker.RINGTABLE);
        assertThat(EndToEnd.inTurn(brokers, 2)).isEqualTo(brokers);
        List<Broker> three = List.of(Broker.RINGTABLE, Broker.BASELINE, Broker.PREDECESSOR);
        assertThat(EndToEnd.inTurn(three, 1)).containsExactly(Broker.BASELINE, Broker.PREDECESSOR, Broker.RINGTABLE);
        assertThat(EndToEnd.inTurn(three, 2)).containsExactly(Broker.PREDECESSOR, Broker.RINGTABLE, Broker.BASELINE);
    }

    /** Tables of the binomial distribution: P(X <= 2) of 12 is 1.9 %, P(X <= 3) is 7.3 %; P(X <= 5) of 20 is 2.1 %. */
    @Test
    void theMedianIsAtLeastWhatASignTestLeaves() {
        assertThat(Numbers.medianAtLeast(new double[] {3, 1, 4, 2})).isNaN();
        assertThat(Numbers.medianAtLeast(new double[] {5, 1, 3, 4, 2})).isEqualTo(1);
        assertThat(Numbers.medianAtLeast(upTo(12))).isEqualTo(3);
        assertThat(Numbers.medianAtLeast(upTo(20))).isEqualTo(6);
    }

    private static double[] upTo(int count) {
        return IntStream.rangeClosed(1, count).asDoubleStream().toArray();
    }

    @Test
    void clientsAloneHaveAllProcessorsForThemselves() {
        double clientCpuMicros = 50;
        Load.Figures figures = new Load.Figures(1, 1, 1, 1, 1, 1, 1, clientCpuMicros, 0, 1, 1, 1);
        assertThat(figures.clientsAlonePerSecond())
                .isEqualTo(20_000.0 * Runtime.getRuntime().availableProcessors());
    }

    @Test
    void processorTimeOfTheClientsIsInThatOfTheMachine() {
        double machine = CpuTime.machineSeconds();
        Assumptions.assumeFalse(Double.isNaN(machine), "no /proc/stat");
        double own = CpuTime.ownSeconds();
        double half = own + 0.5;
        byte[] work = new byte[1 << 20];
        while (CpuTime.ownSeconds() < half) {
            new CRC32().update(work);
        }
        assertThat(CpuTime.machineSeconds() - machine).isGreaterThan(0.4); // both are counted in steps
    }

    @Test
    void aRatioIsTakenRoundByRound() {
        double[] ratios = Numbers.ratios(new double[] {2, 9, 4}, new double[] {1, 3, 4});
        assertThat(ratios).containsExactly(2, 3, 1);
        assertThat(Numbers.median(ratios)).isEqualTo(2); // that of the medians is 4/3
    }

    @Test
    void firstDeliveryAfterARestartIsTimed() throws Exception {
        RestartTime.main(new String[] {"messages=2000", "rounds=1", "jvm=" + String.join(" ", COLD)});
    }

    @Test
    void latenciesKeepTheirOrder() {
        Latencies latencies = new Latencies();
        for (int i = 1; i <= 1_000; i++) {
            latencies.add(i * 1_000_000L);
        }
        assertThat(latencies.millis(0.5)).isBetween(480.0, 520.0);
        assertThat(latencies.millis(0.99)).isBetween(950.0, 1_030.0);
    }
}
