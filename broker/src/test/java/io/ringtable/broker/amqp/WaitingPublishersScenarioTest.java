package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a publisher which waits for a place costs the others nothing. */
@Timeout(120)
class WaitingPublishersScenarioTest {
    private static final int QUOTA = 50;
    private static final int CONNECTIONS = 10;
    private static final int LINKS = 50;
    private static final int WAIT_MS = 60_000;

    @TempDir
    private Path directory;

    @Test
    void eventLoopsRestWhilePublishersWaitForAFullAddress() throws Exception {
        List<Connection> connections = new ArrayList<>();
        try (TestBroker broker = TestBroker.start(directory, Quotas.messages(QUOTA));
                JMSContext honest = broker.jms().createContext()) {
            Queue full = honest.createQueue("full");
            for (int i = 0; i < QUOTA; i++) {
                honest.createProducer().send(full, "x");
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                Connection connection = broker.jms().createConnection();
                connections.add(connection);
                Session session = connection.createSession();
                for (int j = 0; j < LINKS; j++) {
                    session.createProducer(full);
                }
            }

            long before = EventLoops.allocatedBytes();
            Queue other = honest.createQueue("other");
            JMSConsumer consumer = honest.createConsumer(other);
            for (int i = 0; i < 20; i++) {
                // The broker holds each message for a while, so that each has a moment of the waiting clients alone.
                honest.createProducer().setDeliveryDelay(50).send(other, "passes");
                assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("passes");
            }
            long allocated = EventLoops.allocatedBytes() - before;

            assertThat(allocated)
                    .as("bytes that %d waiting links made the event loops allocate", CONNECTIONS * LINKS)
                    .isLessThan(8L << 20);
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }
}
