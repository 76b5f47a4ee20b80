package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.status.LinkStatus;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A broker with a client, of which operators ask what is open; one broker for each class. */
abstract class OperatorScenario {
    static final long WAIT_MS = 60_000;
    static final int LOOPS = 2;
    static final String BY = "user 'bob' by http from 10.1.2.3";
    static final int QUOTA = 20;
    static final int PREFETCH = 5;

    @TempDir
    static Path directory;

    static TestBroker broker;

    Connection client;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of("ringtable.amqp.io-threads", LOOPS, "ringtable.commit.quota-messages", QUOTA));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void connect() throws Exception {
        await().until(() -> broker.counters().connections.sum() == 0);
        client = connect("desk", PREFETCH);
    }

    static Connection connect(String clientId, int prefetch) throws JMSException {
        JmsConnectionFactory factory = new JmsConnectionFactory(
                "anna",
                "any",
                "amqp://127.0.0.1:" + broker.port() + "?jms.prefetchPolicy.all=" + prefetch + "&jms.clientID="
                        + clientId);
        Connection connection = factory.createConnection();
        connection.start();
        return connection;
    }

    @AfterEach
    void disconnect() throws Exception {
        client.close();
    }

    static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(WAIT_MS, TimeUnit.MILLISECONDS);
    }

    static ConnectionStatus only() throws Exception {
        List<ConnectionStatus> all =
                get(broker.connections().connections(100, null, null)).items();
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    static LinkStatus link(String role) throws Exception {
        return get(broker.connections().links(100, null, null, null)).items().stream()
                .filter(link -> link.role().equals(role))
                .findFirst()
                .orElseThrow();
    }

    interface Call {
        Object call() throws Exception;
    }

    static void assertRefused(Call call, String code) {
        assertThatThrownBy(call::call).satisfies(thrown -> {
            Throwable cause = thrown instanceof Refusal.Refused ? thrown : thrown.getCause();
            assertThat(((Refusal.Refused) cause).refusal().code()).isEqualTo(code);
        });
    }
}
