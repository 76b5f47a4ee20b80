package io.ringtable.acceptance.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Pace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills a broker with three shards at random moments while four queues move from shard to shard, and transactions of
 * each are under way. Every message is accounted for: nothing is lost, nothing comes twice but flagged, nothing before
 * its time, groups in order. {@code -Dcrash.seed=…} repeats a run's moments.
 */
class MoveCrashTest {
    private static final int SHARDS = 3;
    private static final int KILLS = Integer.getInteger("crash.kills", 3);
    private static final long SEED = Long.getLong("crash.seed", System.nanoTime());
    private static final int AFTER_MOVE_MS = 300; // a kill comes while it is under way, or has just ended
    private static final int WORK = 60; // committed transactions, from one start to the next kill
    private static final Duration MOST = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(100);

    @RegisterExtension
    final Bench bench = new Bench();

    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, Ledger> ledgers = new TreeMap<>(); // by queue: no transaction has two
    private final Random random = new Random(SEED);

    @ParameterizedTest
    @EnumSource(Engine.class)
    void whateverMovesKeepsWhatItOwes(Engine engine) throws Exception {
        BrokerProcess broker = bench.broker(settings -> engine.on(bench)
                        .apply(settings)
                        .with("ringtable.shards", SHARDS)
                        .with("ringtable.dispatch.redelivery-delay", "150ms")
                        .with("ringtable.dispatch.deliveries-max", 1_000_000))
                .start();
        List<Client> publishers = new ArrayList<>();
        List<Client> consumers = new ArrayList<>();
        for (String queue : Publisher.QUEUES) {
            Ledger ledger = new Ledger();
            ledgers.put(queue, ledger);
            publishers.add(new Publisher(broker.amqpUrl(), List.of(queue), ledger, random.nextLong()));
            consumers.add(new Consumer(broker.amqpUrl(), queue, ledger, random.nextLong()));
            consumers.add(new Consumer(broker.amqpUrl(), queue, ledger, random.nextLong()));
        }
        publishers.forEach(Client::start);
        consumers.forEach(Client::start);
        try {
            for (int kill = 0; kill < KILLS; kill++) {
                awaitWork();
                for (String queue : Publisher.QUEUES) {
                    move(broker, queue);
                }
                Pace.pass(Duration.ofMillis(random.nextInt(AFTER_MOVE_MS)));
                broker.kill();
                broker.start();
            }
            awaitWork();
            publishers.forEach(Client::end);
            ledgers.forEach((queue, ledger) -> await("everything in " + queue)
                    .atMost(MOST)
                    .pollInterval(LOOK)
                    .until(() -> ledger.isComplete(queue)));
        } finally {
            publishers.forEach(Client::end);
            consumers.forEach(Client::end);
        }
        // A transaction without an answer has happened or not.
        Consumer.drain(broker, Publisher.QUEUES, ledgers::get, MOST);
        for (String queue : Publisher.QUEUES) {
            await("the end of the move of " + queue)
                    .atMost(MOST)
                    .pollInterval(LOOK)
                    .until(() -> broker.http("/api/v1/addresses/" + queue)
                            .body()
                            .matches("(?s).*\"shards\"\\s*:\\s*\\[\\s*\\d\\s*\\].*"));
        }
        System.out.printf("%s: crash.seed %d, %d kills, %d transactions%n", engine, SEED, KILLS, committed());
        ledgers.forEach((queue, ledger) -> assertThat(ledger.violations(List.of(queue)))
                .as("crash.seed=%d\n%s", SEED, ledger.summary())
                .isEmpty());
    }

    /** Begins to move a queue, unless the last move of it has not ended. */
    private void move(BrokerProcess broker, String queue) throws IOException, InterruptedException {
        int to = random.nextInt(SHARDS);
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + broker.httpPort() + "/api/v1/addresses/" + queue + "/move?shard=" + to))
                .method("POST", BodyPublishers.noBody())
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        boolean isThereAlready =
                answer.body().contains("RT-4624") || answer.body().contains("RT-4629");
        assertThat(answer.statusCode() == 202 || isThereAlready)
                .as(answer.body())
                .isTrue();
    }

    private int committed() {
        return ledgers.values().stream().mapToInt(Ledger::committed).sum();
    }

    /** A slow machine takes longer; a kill is always in the middle of work. */
    private void awaitWork() {
        int before = committed();
        await("work between two kills").atMost(MOST).pollInterval(LOOK).until(() -> committed() > before + WORK);
    }
}
