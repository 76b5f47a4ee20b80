package io.ringtable.acceptance.settling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.PostgresServer;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RingtableClient;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three applications take work from a queue and acknowledge it in the transaction that does it. They are killed, die
 * between commit and return, and roll back; the broker is killed as well. Every message has its effect exactly once.
 */
class SettlingTest {
    private static final int MESSAGES = 2_000;
    private static final int WORKERS = 3;
    private static final int BROKER_KILLS = 3;
    private static final Duration LONG = Duration.ofMinutes(4);

    @RegisterExtension
    final Bench bench = new Bench();

    private final Random random = new Random(23);

    @Test
    void everyMessageHasItsEffectExactlyOnce() throws Exception {
        PostgresServer server = bench.postgres();
        String url = server.createDatabase();
        BrokerProcess broker = bench.broker(settings -> settings.store(url, server.username(), server.password())
                        .with("ringtable.dispatch.deliveries-max", 1_000)) // nothing is given up
                .start();
        try (Connection connection = connect(server, url);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE public.effect (name text NOT NULL)"); // without a key: it would hide a second one
            statement.execute("CREATE TABLE public.refusal (name text NOT NULL)");
        }
        publish(broker.amqpUrl());
        List<WorkerProcess> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            workers.add(bench.closing(new WorkerProcess(
                    broker.settings().directory().resolve("worker-" + i + ".log"),
                    broker.amqpUrl(),
                    url,
                    server.username(),
                    server.password())));
        }

        int kills = 0;
        for (int kill = 1; kill <= BROKER_KILLS; kill++) {
            kills += awaitEffects(server, url, workers, kill * MESSAGES / (BROKER_KILLS + 1));
            broker.kill();
            broker.start();
        }
        kills += awaitEffects(server, url, workers, MESSAGES);
        await().atMost(LONG).untilAsserted(() -> {
            workers.forEach(WorkerProcess::startIfDead);
            assertThat(ask(server, url, "SELECT count(*) FROM ringtable.owed")).isEqualTo("0");
        });

        System.out.printf(
                "%s effects of %s messages; %d kills of an application, %d starts, %d kills of the broker; %s refused since they"
                        + " were done%n",
                ask(server, url, "SELECT count(*) FROM public.effect"),
                ask(server, url, "SELECT count(DISTINCT name) FROM public.effect"),
                kills,
                workers.stream().mapToInt(WorkerProcess::starts).sum(),
                BROKER_KILLS,
                ask(server, url, "SELECT count(*) FROM public.refusal"));
        assertThat(
                        ask(
                                server,
                                url,
                                "SELECT string_agg(name || ' ' || n, ', ')"
                                        + " FROM (SELECT name, count(*) AS n FROM public.effect GROUP BY name) AS e WHERE n > 1"))
                .as("messages with more than one effect")
                .isNull();
        assertThat(ask(server, url, "SELECT count(*) FROM public.effect")).isEqualTo(Integer.toString(MESSAGES));
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(ask(server, url, "SELECT count(*) FROM ringtable.inbox"))
                        .isEqualTo("0"));
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
    private int awaitEffects(PostgresServer server, String url, List<WorkerProcess> workers, int wanted) {
        int[] kills = {0};
        await().atMost(LONG).pollInterval(Duration.ofMillis(100)).until(() -> {
            workers.forEach(WorkerProcess::startIfDead);
            if (random.nextInt(15) == 0) {
                workers.get(random.nextInt(WORKERS)).kill();
                kills[0]++;
            }
            return Integer.parseInt(ask(server, url, "SELECT count(*) FROM public.effect")) >= wanted;
        });
        return kills[0];
    }

    private static String ask(PostgresServer server, String url, String sql) throws SQLException {
        try (Connection connection = connect(server, url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static Connection connect(PostgresServer server, String url) throws SQLException {
        return DriverManager.getConnection(url, server.username(), server.password());
    }
}
