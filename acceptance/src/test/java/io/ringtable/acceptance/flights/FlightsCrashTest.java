package io.ringtable.acceptance.flights;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The broker is killed at random moments while flights are published and received; every row is accounted for.
 * {@code -Dflights.seed=…} repeats a run's moments.
 */
class FlightsCrashTest {
    private static final int KILLS = 3;
    private static final long SEED = Long.getLong("flights.seed", System.nanoTime());
    private static final Duration MOST = Duration.ofMinutes(4);

    @RegisterExtension
    final Bench bench = new Bench();

    @ParameterizedTest
    @EnumSource(Engine.class)
    void everyRowReachesEverySubscriptionThroughJmsWhileTheBrokerIsKilled(Engine engine) throws Exception {
        killWhilePublishing(engine, JmsFlightClients::new);
    }

    /** On one engine: what the SDK adds does not know which it is. */
    @Test
    void everyRowReachesEverySubscriptionThroughTheSdkWhileTheBrokerIsKilled() throws Exception {
        killWhilePublishing(Engine.SQLITE, SdkFlightClients::new);
    }

    private void killWhilePublishing(Engine engine, FlightRun.Clients clients) throws Exception {
        BrokerProcess broker = bench.broker(engine.on(bench));
        FlightRows rows = FlightRows.sample(10_000);

        FlightRun run = new FlightRun(broker, rows, clients, new Kill(broker), KILLS, SEED, MOST);
        String summary = run.run();

        System.out.println("flights.seed=" + SEED + " on " + engine + "\n" + summary);
        assertThat(run.accounts().violations())
                .as("flights.seed=%d\n%s", SEED, summary)
                .isEmpty();
        assertThat(run.struck()).isGreaterThanOrEqualTo(KILLS);
    }
}
