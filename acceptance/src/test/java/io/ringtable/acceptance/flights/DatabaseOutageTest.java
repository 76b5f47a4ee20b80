package io.ringtable.acceptance.flights;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.PostgresServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The database is stopped and started again under load; the broker lives through it. */
class DatabaseOutageTest {
    private static final int OUTAGES = 2;
    private static final long SEED = Long.getLong("flights.seed", System.nanoTime());

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void everyRowReachesEverySubscriptionWhileTheDatabaseIsStoppedAndStarted() throws Exception {
        PostgresServer server = bench.postgres();
        String url = server.createDatabase();
        BrokerProcess broker = bench.broker(settings -> settings.store(url, server.username(), server.password()));
        FlightRun.Blow outage = (random, before) -> {
            server.stop();
            Pace.pass(Duration.ofMillis(random.nextInt(1_500)));
            assertThat(broker.isLive()).as(broker::logTail).isTrue();
            server.start();
            broker.awaitReady();
            return 1;
        };

        FlightRun run = new FlightRun(
                broker, FlightRows.sample(10_000), JmsFlightClients::new, outage, OUTAGES, SEED, Duration.ofMinutes(3));
        String summary = run.run();

        System.out.println("flights.seed=" + SEED + "\n" + summary);
        assertThat(run.accounts().violations())
                .as("flights.seed=%d\n%s", SEED, summary)
                .isEmpty();
        assertThat(run.struck()).isEqualTo(OUTAGES);
        assertThat(broker.log()).doesNotContain("password=");
    }
}
