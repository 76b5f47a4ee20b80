package io.ringtable.acceptance.flights;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.DatabaseProxy;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.PostgresServer;
import io.ringtable.acceptance.harness.ServerDatabase;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The database goes away and comes back under load; the broker lives through it. */
class DatabaseOutageTest {
    private static final int OUTAGES = 2;
    private static final int LONGEST_MS = 1_500;
    private static final long SEED = Long.getLong("flights.seed", System.nanoTime());

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void everyRowReachesEverySubscriptionWhileTheDatabaseIsStoppedAndStarted() throws Exception {
        PostgresServer server = bench.postgres();
        String url = server.createDatabase();
        BrokerProcess broker = bench.broker(settings -> settings.store(url, server.username(), server.password()));

        run(broker, (random, before) -> {
            server.stop();
            outage(broker, random);
            server.start();
            broker.awaitReady();
            return 1;
        });
    }

    /** A server that is named by its URL is not ours to stop. */
    @Test
    void everyRowReachesEverySubscriptionWhileTheWayToSqlServerIsCut() throws Exception {
        ServerDatabase database = Engine.SQLSERVER.database(bench);
        DatabaseProxy way = bench.closing(DatabaseProxy.to(database.url()));
        BrokerProcess broker = bench.broker(
                settings -> settings.store(way.through(database.url()), database.username(), database.password()));

        run(broker, (random, before) -> {
            way.pause();
            way.cut();
            outage(broker, random);
            way.resume();
            broker.awaitReady();
            return 1;
        });
    }

    private static void outage(BrokerProcess broker, Random random) {
        Pace.pass(Duration.ofMillis(random.nextInt(LONGEST_MS)));
        assertThat(broker.isLive()).as(broker::logTail).isTrue();
    }

    private static void run(BrokerProcess broker, FlightRun.Blow outage) throws Exception {
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
