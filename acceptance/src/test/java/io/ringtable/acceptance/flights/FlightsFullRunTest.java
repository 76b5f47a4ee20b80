package io.ringtable.acceptance.flights;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** All rows of a file; {@code acceptance/flights.sh} runs it. */
@Tag("slow")
class FlightsFullRunTest {

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void everyRowOfTheFileReachesEverySubscription() throws Exception {
        String file = System.getProperty("flights.file", "");
        Assumptions.assumeFalse(file.isEmpty(), "flights.file is not set: acceptance/flights.sh sets it");
        Engine engine =
                Engine.valueOf(System.getProperty("flights.engine", "sqlite").toUpperCase(Locale.ROOT));
        boolean sdk = "sdk".equals(System.getProperty("flights.client", "jms"));
        int kills = Integer.getInteger("flights.kills", 12);
        long seed = Long.getLong("flights.seed", System.nanoTime());
        BrokerProcess broker = bench.broker(engine.on(bench).andThen(s -> s.jvm("-Xmx512m"))::apply);

        FlightRun run = new FlightRun(
                broker,
                FlightRows.read(Path.of(file), Long.getLong("flights.rows", Long.MAX_VALUE)),
                sdk ? SdkFlightClients::new : JmsFlightClients::new,
                new Kill(broker),
                kills,
                seed,
                Duration.ofMinutes(30));
        String summary = run.run();

        System.out.printf("%-36s %12s%n%-36s %12s%n", "engine", engine, "client", sdk ? "SDK" : "Qpid JMS");
        System.out.printf("%-36s %12d%n%s%n", "seed", seed, summary);
        assertThat(run.accounts().violations()).as("flights.seed=%d", seed).isEmpty();
        assertThat(run.struck()).isGreaterThanOrEqualTo(kills);
    }
}
