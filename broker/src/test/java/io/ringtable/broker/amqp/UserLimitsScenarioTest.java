package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One user at its bounds keeps no other out, and nor do sockets that never log in. */
@Timeout(120)
class UserLimitsScenarioTest {
    private static final int HANDSHAKES_MAX = 20;
    private static final int CONNECTIONS_MAX = 8;
    private static final int RATE = 10; // twice as many are sent within two seconds on any machine
    private static final long WAIT_MS = 60_000;
    private static final String PASSWORD = "a password of the test";

    @TempDir
    private static Path directory;

    private static TestBroker broker;

    @BeforeAll
    static void start() {
        TestSettings settings = TestSettings.of(
                "ringtable.amqp.handshakes-max",
                HANDSHAKES_MAX,
                "ringtable.amqp.connections-max",
                CONNECTIONS_MAX,
                "ringtable.amqp.handshake-timeout",
                "5m",
                "ringtable.amqp.io-threads",
                2,
                "ringtable.security.users[1].connections-max",
                2,
                "ringtable.security.users[2].messages-per-second",
                RATE);
        String[] users = {"honest", "greedy", "fast"};
        for (int i = 0; i < users.length; i++) {
            String user = "ringtable.security.users[" + i + "].";
            settings = settings.with(user + "name", users[i], user + "password", "{noop}" + PASSWORD);
        }
        broker = TestBroker.start(directory, settings);
    }

    @AfterAll
    static void stop() {
        broker.close();
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

    @Test
    void aUserWithAsManyConnectionsAsItMayIsRefusedAndAnotherIsNot() throws Exception {
        long refused = broker.counters().connectionsRefused.sum();
        Connection first = connect("greedy");
        Connection second = connect("greedy");
        try {
            assertThatThrownBy(() -> connect("greedy"))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("RT-4370")
                    .hasMessageContaining("'greedy'")
                    .hasMessageContaining("2");
            assertThat(broker.counters().connectionsRefused.sum()).isEqualTo(refused + 1);
            connect("honest").close();

            first.close();
            await().ignoreExceptions().until(() -> {
                connect("greedy").close();
                return true;
            });
        } finally {
            first.close();
            second.close();
        }
    }

    @Test
    void connectionsBeyondTheBoundOfAllAreRefusedUntilOneIsClosed() throws Exception {
        await().until(() -> broker.counters().connections.sum() == 0);
        List<Connection> open = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS_MAX; i++) {
                open.add(connect("honest"));
            }
            assertThatThrownBy(() -> connect("honest"))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("RT-4035");

            open.remove(0).close();
            await().ignoreExceptions().until(() -> {
                connect("honest").close();
                return true;
            });
        } finally {
            for (Connection connection : open) {
                connection.close();
            }
        }
    }

    @Test
    void everythingOfAUserThatIsTooFastComesAtItsRate() throws Exception {
        int count = 2 * RATE;
        long stalls = broker.counters().rateStalls.sum();
        long begun = System.nanoTime();
        CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> publish("fast", count));

        await().until(() -> broker.counters().rateStalls.sum() > stalls); // stays so, however late the look
        publish("honest", 1);
        publishing.get(WAIT_MS, TimeUnit.MILLISECONDS);
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);

        // One second is free, and the last credit was for a quarter of one.
        assertThat(tookMs).isGreaterThanOrEqualTo(1_000L * (count - RATE - RATE / 4) / RATE);
        try (Connection honest = connect("honest")) {
            Session session = honest.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(session.createQueue("fast"));
            for (int i = 0; i < count; i++) {
                assertThat(consumer.receive(WAIT_MS).getBody(String.class)).isEqualTo(Integer.toString(i));
            }
        }
    }

    /** Waits for no outcome before the next message: else a busy machine would keep within the rate. */
    private static void publish(String user, int count) {
        try (JMSContext context = broker.jms(user, PASSWORD).createContext()) {
            SendOutcomes outcomes = new SendOutcomes();
            JMSProducer producer = context.createProducer().setAsync(outcomes);
            Queue queue = context.createQueue(user);
            for (int i = 0; i < count; i++) {
                producer.send(queue, Integer.toString(i));
            }
            await().until(() -> outcomes.accepted.get() + outcomes.refused.size() == count);
            assertThat(outcomes.refused).isEmpty();
        }
    }

    @Test
    void socketsWithoutALoginKeepNobodyOut() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            long closed = broker.counters().handshakesClosed.sum();
            for (int i = 0; i < 3 * HANDSHAKES_MAX; i++) {
                Socket socket = new Socket();
                sockets.add(socket);
                socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.3"), 0));
                socket.connect(new InetSocketAddress("127.0.0.1", broker.port()));
            }
            await().until(() -> broker.counters().handshakesClosed.sum() >= closed + 2 * HANDSHAKES_MAX);
            assertThat(broker.counters().handshakes.sum()).isEqualTo(HANDSHAKES_MAX);

            for (int i = 0; i < CONNECTIONS_MAX; i++) {
                publish("honest", 1);
            }
            assertThat(broker.counters().handshakes.sum())
                    .as("each login has cost the crowd one socket at most")
                    .isBetween((long) HANDSHAKES_MAX - CONNECTIONS_MAX, (long) HANDSHAKES_MAX);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        await().until(() -> broker.counters().handshakes.sum() == 0);
    }
}
