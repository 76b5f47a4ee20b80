package io.ringtable.acceptance.settling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RingtableClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Three applications take work from a queue and acknowledge it in the transaction that does it. They are killed, die
 * between commit and return, and roll back; the broker is killed as well. Every message has its effect exactly once.
 */
class SettlingTest {
    private static final int MESSAGES = 1_200;
    private static final int WORKERS = 3;
    private static final int BROKER_KILLS = 3;
    private static final Duration LONG = Duration.ofMinutes(4);
    private static final Duration LOOK = Duration.ofMillis(100); // each is a connection of its own

    @RegisterExtension
    final Bench bench = new Bench();

    private final Random random = new Random(23);

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, ringtable.inbox", "SQLSERVER, ringtable.inbox_settlement"})
    void everyMessageHasItsEffectExactlyOnce(Engine engine, String laidDown) throws Exception {
        ServerDatabase database = engine.database(bench);
        BrokerProcess broker = bench.broker(settings -> settings.store(database)
                        .with("ringtable.dispatch.deliveries-max", 1_000)) // nothing is given up
                .start();
        database.execute(
                "CREATE TABLE effect (name varchar(20) NOT NULL)", // without a key: it would hide a second one
                "CREATE TABLE refusal (name varchar(20) NOT NULL)");
        publish(broker.amqpUrl());
        List<WorkerProcess> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            workers.add(bench.closing(new WorkerProcess(
                    broker.settings().directory().resolve("worker-" + i + ".log"),
                    broker.amqpUrl(),
                    database.url(),
                    database.username(),
                    database.password())));
        }

        int kills = 0;
        for (int kill = 1; kill <= BROKER_KILLS; kill++) {
            kills += awaitEffects(database, workers, kill * MESSAGES / (BROKER_KILLS + 1));
            broker.kill();
            broker.start();
        }
        kills += awaitEffects(database, workers, MESSAGES);
        await().atMost(LONG).pollInterval(LOOK).untilAsserted(() -> {
            workers.forEach(WorkerProcess::startIfDead);
            assertThat(database.count("ringtable.owed")).isZero();
        });

        System.out.printf(
                "%d effects of %s messages; %d kills of an application, %d starts, %d kills of the broker; %d refused"
                        + " since they were done%n",
                database.count("effect"),
                database.ask("SELECT count(DISTINCT name) FROM effect").get(0),
                kills,
                workers.stream().mapToInt(WorkerProcess::starts).sum(),
                BROKER_KILLS,
                database.count("refusal"));
        assertThat(database.ask("SELECT name FROM effect GROUP BY name HAVING count(*) > 1"))
                .as("messages with more than one effect")
                .isEmpty();
        assertThat(database.count("effect")).isEqualTo(MESSAGES);
        await().atMost(LONG)
                .pollInterval(LOOK)
                .untilAsserted(() -> assertThat(database.count(laidDown)).isZero());
    }

    private static void publish(String url) {
        try (RingtableClient client = RingtableClient.connect(url);
                Publisher publisher = client.publisher("queue://" + Worker.QUEUE)) {
            List<Message> messages = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                messages.add(Message.text(Integer.toString(i)));
            }
            publisher.publishAll(messages).join();
        }
    }

    /** Meanwhile applications are killed wherever they stand. @return how many */
    private int awaitEffects(ServerDatabase database, List<WorkerProcess> workers, int wanted) {
        int[] kills = {0};
        await().atMost(LONG).pollInterval(LOOK).until(() -> {
            workers.forEach(WorkerProcess::startIfDead);
            if (random.nextInt(15) == 0) {
                workers.get(random.nextInt(WORKERS)).kill();
                kills[0]++;
            }
            return database.count("effect") >= wanted;
        });
        return kills[0];
    }
}
