package io.ringtable.benchmarks.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        broker = BrokerProcess.start(directory.resolve("data"), COLD, List.of()).awaitListening();
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
