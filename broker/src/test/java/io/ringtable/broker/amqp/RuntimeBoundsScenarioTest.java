package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Users that administrators make have bounds of their own, and a change of them counts for what is open. */
@Timeout(120)
class RuntimeBoundsScenarioTest {
    private static final long WAIT_MS = 60_000;
    /** At one a second they would take longer than the test may. */
    private static final int MANY = 200;

    private static final String PASSWORD = "a password of the test";
    private static final String HASH = ScramVerifier.of(
                    ScramHash.SHA_512, PASSWORD, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII), 4_096)
            .notation();

    @TempDir
    private static Path directory;

    private static TestBroker broker;
    private static Administrator root;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of(
                        "ringtable.security.users[0].name",
                        "root",
                        "ringtable.security.users[0].password",
                        "{noop}root",
                        "ringtable.security.users[0].bytes-per-second",
                        "3KB",
                        "ringtable.security.user-connections-max",
                        3));
        root = Administrator.of(broker, "root");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static void make(String user, String bounds) {
        root.make("/users/" + user, "{'passwordHash': '" + HASH + "'" + bounds + "}");
    }

    private static Connection connect(String user) throws JMSException {
        Connection connection = broker.jms(user, PASSWORD).createConnection();
        try {
            connection.start();
        } catch (JMSException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    private static CompletableFuture<Void> sending(Connection connection, String queue) throws JMSException {
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = session.createProducer(session.createQueue(queue));
        return CompletableFuture.runAsync(() -> {
            try {
                for (int i = 0; i < MANY; i++) {
                    producer.send(session.createTextMessage(Integer.toString(i)));
                }
            } catch (JMSException e) {
                throw new CompletionException(e);
            }
        });
    }

    private static void awaitThatALinkWaitsForTheRate(String address) {
        await().until(() -> broker
                .connections()
                .links(100, null, null, null)
                .toCompletableFuture()
                .get(WAIT_MS, TimeUnit.MILLISECONDS)
                .items()
                .stream()
                .anyMatch(link -> address.equals(link.address()) && link.waitsFor() == WaitsFor.RATE));
    }

    private static JsonNode shown(String user) {
        for (JsonNode each : root.get("/users").get("items")) {
            if (each.get("name").asString().equals(user)) {
                return each;
            }
        }
        throw new AssertionError("there is no user " + user);
    }

    @Test
    void anotherRateCountsForTheConnectionThatWaitsAndForTheOneThatDoesNot() throws Exception {
        make("slow", ", 'messagesPerSecond': 1");
        try (Connection connection = connect("slow")) {
            AtomicReference<JMSException> lost = new AtomicReference<>();
            connection.setExceptionListener(lost::set);
            CompletableFuture<Void> sending = sending(connection, "slow");
            awaitThatALinkWaitsForTheRate("slow");
            assertThat(sending).isNotDone();

            root.change("/users/slow", "{'messagesPerSecond': 0}");
            sending.get(WAIT_MS, TimeUnit.MILLISECONDS);

            root.change("/users/slow", "{'messagesPerSecond': 1}");
            CompletableFuture<Void> again = sending(connection, "slow");
            awaitThatALinkWaitsForTheRate("slow");
            root.change("/users/slow", "{'messagesPerSecond': -1}");
            again.get(WAIT_MS, TimeUnit.MILLISECONDS);
            assertThat(lost).as("the connection is that of the beginning").hasNullValue();
        }
    }

    @Test
    void anotherNumberOfConnectionsCountsForNewOnes() throws Exception {
        make("few", ", 'connectionsMax': 1");
        try (Connection first = connect("few")) {
            assertThatThrownBy(() -> connect("few"))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("RT-4370 user 'few' has as many connections as it may, 1:");
            root.change("/users/few", "{'connectionsMax': 2}");
            try (Connection second = connect("few")) {
                root.change("/users/few", "{'connectionsMax': 1}");
                first.createSession().close();
                second.createSession().close();
                assertThatThrownBy(() -> connect("few")).hasMessageContaining("RT-4370");
                root.change("/users/few", "{'connectionsMax': -1}");
                connect("few").close();
            }
        }
    }

    @Test
    void boundsAreShownKeptWithTheRestOfTheUserAndOverARestart() {
        make("shown", ", 'connectionsMax': 5, 'messagesPerSecond': 0, 'bytesPerSecond': 2000000, 'groups': ['a']");
        root.change("/users/shown", "{'groups': ['b'], 'messagesPerSecond': 70}");
        broker.close();
        start();

        JsonNode user = shown("shown");
        assertThat(user.get("groups").toString()).isEqualTo("[\"b\"]");
        assertThat(user.get("connectionsMax").asInt()).isEqualTo(5);
        assertThat(user.get("messagesPerSecond").asInt()).isEqualTo(70);
        assertThat(user.get("bytesPerSecond").asLong()).isEqualTo(2_000_000);
        JsonNode changed = root.change("/users/shown", "{'connectionsMax': -1}");
        assertThat(changed.has("connectionsMax")).isFalse();
        assertThat(changed.get("messagesPerSecond").asInt()).isEqualTo(70);
        assertThat(shown("root").get("bytesPerSecond").asLong()).isEqualTo(3 * 1_024);
        assertThat(shown("root").has("connectionsMax")).isFalse();
    }

    @Test
    void whatCannotBeIsRefusedWithWhatIsWrong() {
        String wrong = "{'passwordHash': '{external}', 'connectionsMax': -2}";
        assertThat(root.refused(400, "RT-7721", "PUT", "/users/odd", wrong))
                .contains("connectionsMax=-2: write a number from 0 to 1000000");
        root.refused(
                400, "RT-7721", "PUT", "/users/odd", "{'passwordHash': '{external}', 'messagesPerSecond': 100000001}");
        root.refused(
                400, "RT-7721", "PUT", "/users/odd", "{'passwordHash': '{external}', 'bytesPerSecond': 1099511627777}");
        root.refused(400, "RT-7705", "PUT", "/users/odd", "{'passwordHash': '{external}', 'connectionsMax': 'many'}");
    }
}
