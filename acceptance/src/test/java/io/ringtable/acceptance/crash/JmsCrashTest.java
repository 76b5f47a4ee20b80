package io.ringtable.acceptance.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills the broker at random moments while transactions, delayed deliveries, redeliveries with rests and groups are
 * under way. Expects no half transaction, nothing lost, nothing twice but flagged, nothing before its time, and groups
 * in order. {@code acceptance/jmscrash.sh} kills more often; {@code -Dcrash.seed=…} repeats a run's moments.
 */
class JmsCrashTest {
    private static final int KILLS = Integer.getInteger("crash.kills", 2);
    private static final long SEED = Long.getLong("crash.seed", System.nanoTime());
    private static final int BETWEEN_KILLS_MS = 3_000;
    private static final int WORK = 20; // committed transactions, from one start to the next kill
    private static final Duration MOST = Duration.ofMinutes(3);

    @RegisterExtension
    final Bench bench = new Bench();

    @ParameterizedTest
    @EnumSource(Engine.class)
    void nothingIsHalfDoneOrLostOrOutOfOrder(Engine engine) throws Exception {
        BrokerProcess broker = bench.broker(settings -> engine.on(bench)
                        .apply(settings)
                        .together("#")
                        .with("ringtable.dispatch.redelivery-delay", "150ms")
                        .with("ringtable.dispatch.deliveries-max", 1_000_000))
                .start();
        Random random = new Random(SEED);
        Ledger ledger = new Ledger();
        Publisher publisher = new Publisher(broker.amqpUrl(), Publisher.QUEUES, ledger, random.nextLong());
        List<Client> clients = new ArrayList<>(List.of(publisher));
        for (String queue : Publisher.QUEUES) {
            int consumers = queue.equals(Publisher.GROUPED) ? 3 : 1;
            for (int i = 0; i < consumers; i++) {
                clients.add(new Consumer(broker.amqpUrl(), queue, ledger, random.nextLong()));
            }
        }
        clients.forEach(Client::start);
        try {
            for (int kill = 0; kill < KILLS; kill++) {
                awaitWork(ledger);
                Pace.pass(Duration.ofMillis(500 + random.nextInt(BETWEEN_KILLS_MS)));
                broker.kill();
                broker.start();
            }
            awaitWork(ledger);
            publisher.end();
            for (String queue : Publisher.QUEUES) {
                await("everything in " + queue).atMost(MOST).until(() -> ledger.isComplete(queue));
            }
        } finally {
            clients.forEach(Client::end);
        }
        // A transaction without an answer has happened everywhere or nowhere.
        Consumer.drain(broker, Publisher.QUEUES, any -> ledger, MOST);

        System.out.printf(
                "%-36s %12s%n%-36s %12d%n%-36s %12d%n%s",
                "engine", engine, "crash.seed", SEED, "kills", KILLS, ledger.summary());
        assertThat(ledger.violations(Publisher.QUEUES))
                .as("crash.seed=%d\n%s", SEED, ledger.summary())
                .isEmpty();
    }

    /** A slow machine takes longer; a kill is always in the middle of work. */
    private static void awaitWork(Ledger ledger) {
        int before = ledger.committed();
        await("work between two kills").atMost(MOST).until(() -> ledger.committed() > before + WORK);
    }
}
