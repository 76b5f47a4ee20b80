package io.ringtable.benchmarks.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.endtoend.driver.ClientSetup;
import io.ringtable.benchmarks.endtoend.figure.Figure;
import io.ringtable.benchmarks.endtoend.figure.Figures;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.TestEngines;
import io.ringtable.benchmarks.report.CpuTime;
import io.ringtable.benchmarks.report.Numbers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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

    @TempDir
    static Path directory;

    private static Subject broker;

    @BeforeAll
    static void startBroker() {
        Rig.requireBroker();
        BrokerProcess process = BrokerProcess.start(Broker.RINGTABLE, directory.resolve("data"), Rig.COLD, List.of());
        broker = new BrokerSubject(process.awaitListening(), null, ClientSetup.PLAIN, null);
    }

    @AfterAll
    static void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"8:8", "2x1:1", "fanout", "stalled3", "sync8", "sdk", "sdkstalled2", "1:1@1m/20"})
    void clientsPublishAndReceive(String name) {
        Scenario scenario = Scenario.named(name);
        try (Load load = Load.begin(scenario, broker)) {
            Figures figures = load.watch(1);
            assertThat(figures.get(Figure.ACCEPTED_PER_S)).as("accepted").isPositive();
            assertThat(figures.get(Figure.MESSAGES_PER_FLUSH))
                    .as("messages per flush")
                    .isPositive();
            assertThat(figures.get(Figure.BROKER_CPU_US_PER_MESSAGE))
                    .as("processor time of the broker")
                    .isPositive();
            assertThat(figures.get(Figure.COMMITTER_CPU_US_PER_MESSAGE))
                    .as("of its committer")
                    .isNotNegative();
            if (scenario.consumers() > 0) {
                assertThat(figures.get(Figure.RECEIVED_PER_S)).as("received").isPositive();
            }
        }
    }

    @Test
    void bothBrokersAreMeasuredInARound() throws Exception {
        Rig rig = Rig.run(directory.resolve("both"), "brokers=ringtable,artemis", "scenarios=8:8", "seconds=2");
        assertThat(rig.rows())
                .extracting(row -> row.get("scenario") + " " + row.get("broker"))
                .containsExactly("8:8 ringtable", "8:8 artemis");
        assertThat(rig.rows()).allSatisfy(row -> {
            assertThat(Rig.number(row, Figure.ACCEPTED_PER_S)).isPositive();
            assertThat(Rig.number(row, Figure.RECEIVED_PER_S)).isPositive();
        });
        assertThat(rig.notes())
                .anyMatch(line -> line.matches("# ringtable: SQLite .*durability full.*"))
                .anyMatch(line -> line.matches("# artemis: .*journal-datasync=true"));
    }

    @Test
    void aSecuredAndATracedBrokerStandBesideAPlainOne() throws Exception {
        Rig rig = Rig.run(
                directory.resolve("secured"), "brokers=secured,traced", "scenarios=sdk", "seconds=1", "warmup=1");
        assertThat(rig.rows())
                .extracting(row -> row.get("scenario") + " " + row.get("broker"))
                .containsExactlyInAnyOrder("sdk secured", "sdk traced");
        assertThat(rig.rows())
                .allSatisfy(row ->
                        assertThat(Rig.number(row, Figure.RECEIVED_PER_S)).isPositive());
    }

    @Test
    void aQueueWithPartsIsMeasured() throws Exception {
        Rig rig = Rig.run(directory.resolve("parts"), "brokers=parts-2", "scenarios=8:8");
        assertThat(rig.rows()).singleElement().satisfies(row -> {
            assertThat(row.get("broker")).isEqualTo("parts-2");
            assertThat(Rig.number(row, Figure.RECEIVED_PER_S)).isPositive();
            assertThat(Rig.number(row, Figure.MESSAGES_PER_FLUSH))
                    .as("of all shards")
                    .isPositive();
        });
    }

    @Test
    void aRelayIsMeasured() throws Exception {
        try (Databases databases = new Databases()) {
            TestEngines.require(databases, Databases.POSTGRESQL);
        }
        Rig rig = Rig.run(directory.resolve("relayed"), "brokers=relayed", "engine=postgresql", "scenarios=8:8");
        assertThat(rig.rows()).singleElement().satisfies(row -> {
            assertThat(row.get("broker")).isEqualTo("relayed");
            assertThat(Rig.number(row, Figure.RECEIVED_PER_S)).isPositive();
            assertThat(Rig.number(row, Figure.MESSAGES_PER_FLUSH))
                    .as("of both nodes")
                    .isPositive();
        });
    }

    @Test
    void theServerOfTheStoreIsToldApart() throws Exception {
        try (Databases databases = new Databases()) {
            TestEngines.require(databases, Databases.POSTGRESQL);
        }
        Rig rig = Rig.run(directory.resolve("server"), "engine=postgresql", "scenarios=sync8");
        assertThat(rig.rows()).singleElement().satisfies(row -> {
            assertThat(Rig.number(row, Figure.BROKER_CPU_US_PER_MESSAGE)).isPositive();
            assertThat(Rig.number(row, Figure.DATABASE_CPU_US_PER_MESSAGE)).isPositive();
            assertThat(Rig.number(row, Figure.DATABASE_MB)).isPositive();
        });
        assertThat(rig.notes()).anyMatch(line -> line.matches("# ringtable: PostgreSQL .*durability full.*"));
    }

    @Test
    void aBrokerIsFilledEmptiedAndSoaked() throws Exception {
        List<Map<String, String>> rows = Rig.run(
                        directory.resolve("long"), "scenarios=backlog2:2,soak1:1", "messages=2000", "soak=2")
                .rows();
        assertThat(rows)
                .extracting(row -> row.get("part"))
                .containsExactly("build", "drain", "top", "until 1 s", "until 2 s", "half");
        assertThat(Rig.number(rows.get(0), Figure.WAITING)).as("built").isEqualTo(2_000);
        assertThat(Rig.number(rows.get(1), Figure.WAITING)).as("left").isZero();
        assertThat(rows)
                .allSatisfy(row -> assertThat(Rig.number(row, Figure.BROKER_MB))
                        .as("memory of the broker")
                        .isPositive());
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

    /**
     * Tables of the binomial distribution: {@code P(X <= 2)} of 12 is 1.9 %, {@code P(X <= 3)} is 7.3 %;
     * {@code P(X <= 5)} of 20 is 2.1 %.
     */
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
        RestartTime.main(new String[] {"messages=2000", "rounds=1", "jvm=" + String.join(" ", Rig.COLD)});
    }
}
