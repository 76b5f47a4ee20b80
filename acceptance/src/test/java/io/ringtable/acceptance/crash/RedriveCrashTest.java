package io.ringtable.acceptance.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.BitSet;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The broker is killed twice while it sends expired messages back to where they came from: each message comes once. The
 * heap of the broker is 256 MB, however many messages there are: {@code -Dredrive.letters=1000000}.
 */
class RedriveCrashTest {
    private static final int LETTERS = Integer.getInteger("redrive.letters", 20_000);
    private static final int COMMIT = 1_000; // messages of a transaction
    private static final int KILLS = 2;
    private static final int RECEIVE_MS = 60_000;
    private static final Duration LOOK = Duration.ofMillis(25); // each asks the broker
    private static final Duration MOST = Duration.ofSeconds(120 + LETTERS / 1_000);

    @RegisterExtension
    final Bench bench = new Bench();

    private final HttpClient http = HttpClient.newHttpClient();

    @ParameterizedTest
    @EnumSource(names = {"SQLITE", "POSTGRESQL"})
    void eachMessageComesBackOnceHoweverTheBrokerEnds(Engine engine) throws Exception {
        BrokerProcess broker = bench.broker(settings -> engine.on(bench)
                        .apply(settings)
                        .with("ringtable.dispatch.expiry-queue", "expired")
                        .with("ringtable.commit.quota-messages", 2L * LETTERS))
                .start();
        publishWhatExpiresAtOnce(broker);
        haveItExpire(broker);
        long begun = System.nanoTime();
        assertThat(ask(broker, "POST", "/jobs", "{\"action\": \"redrive\", \"from\": \"expired\"}"))
                .contains("\"state\":\"RUNNING\"");
        for (int kill = 1; kill <= KILLS; kill++) {
            long enough = (long) LETTERS * kill / (KILLS + 2);
            await("a part that is done")
                    .atMost(MOST)
                    .pollInterval(LOOK)
                    .until(() -> LETTERS - broker.owed("expired") >= enough || !isRunning(broker));
            broker.kill();
            broker.start();
        }
        await("the end of the job").atMost(MOST).pollInterval(LOOK).until(() -> !isRunning(broker));
        System.out.printf(
                "%s: %d messages were back after %.1f s, with %d kills: %s%n",
                engine, LETTERS, (System.nanoTime() - begun) / 1e9, KILLS, jobs(broker));
        assertThat(jobs(broker))
                .contains("\"state\":\"DONE\"")
                .doesNotContainPattern("\"state\":\"(?!DONE)")
                .doesNotContainPattern("\"failed\":[1-9]");
        broker.awaitOwed("expired", 0); // the status follows the job
        broker.awaitOwed("work", LETTERS);
        hasEachOnce(broker);
        broker.awaitOwed("work", 0);
    }

    private static void publishWhatExpiresAtOnce(BrokerProcess broker) throws JMSException {
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageProducer producer = session.createProducer(session.createQueue("work"));
            producer.setTimeToLive(1);
            for (int i = 0; i < LETTERS; i++) {
                Message message = session.createTextMessage("message " + i);
                message.setIntProperty("number", i);
                producer.send(message);
                if (i % COMMIT == COMMIT - 1) {
                    session.commit();
                }
            }
            session.commit();
        }
    }

    /** Expired messages move when they are to be delivered. */
    private static void haveItExpire(BrokerProcess broker) throws JMSException {
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            Session session = connection.createSession();
            session.createConsumer(session.createQueue("work"));
            connection.start();
            await("expiry").atMost(MOST).pollInterval(LOOK).until(() -> broker.owed("work") == 0);
        }
        assertThat(broker.owed("expired")).isEqualTo(LETTERS);
    }

    private static void hasEachOnce(BrokerProcess broker) throws JMSException {
        BitSet seen = new BitSet(LETTERS);
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            Session session = connection.createSession();
            MessageConsumer consumer = session.createConsumer(session.createQueue("work"));
            connection.start();
            for (int i = 0; i < LETTERS; i++) {
                Message message = consumer.receive(RECEIVE_MS);
                assertThat(message).as("message %d", i).isNotNull();
                int number = message.getIntProperty("number");
                assertThat(seen.get(number))
                        .as("message %d came before", number)
                        .isFalse();
                assertThat(message.getJMSExpiration()).isZero();
                seen.set(number);
            }
        }
        assertThat(seen.cardinality()).isEqualTo(LETTERS);
    }

    // ---- the job

    private boolean isRunning(BrokerProcess broker) throws Exception {
        return jobs(broker).contains("\"state\":\"RUNNING\"");
    }

    /** One for each shard. */
    private String jobs(BrokerProcess broker) throws Exception {
        String jobs = ask(broker, "GET", "/jobs", null);
        assertThat(jobs).contains("\"action\":\"redrive\"");
        return jobs;
    }

    private String ask(BrokerProcess broker, String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + broker.httpPort() + "/api/v1" + path))
                .header("Content-Type", "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        return http.send(request, BodyHandlers.ofString()).body();
    }
}
