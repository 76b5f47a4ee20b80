package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.message.Address;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A message that cannot leave its address rests there: neither lost, nor delivered as fast as somebody rejects it. */
@Timeout(120)
class UnburiedScenarioTest {
    private static final long REST_MS = 1_000; // the first one

    @TempDir
    private Path directory;

    private static Address find(TestBroker broker, String name) {
        return broker.shard().lookup().find(name);
    }

    @Test
    void nobodyTakesTheNameOfTheDeadLetterQueueForATopic() throws Exception {
        try (TestBroker broker = TestBroker.start(directory);
                JMSContext context = broker.jms().createContext()) {
            Awaitility.await().until(() -> find(broker, "DLQ") != null);
            assertThat(find(broker, "DLQ").isQueue()).isTrue();
            assertThatThrownBy(() -> context.createConsumer(context.createTopic("DLQ")))
                    .hasMessageContaining("DLQ");
        }
    }

    @Test
    void whatIsRejectedRestsWhileTheDeadLetterQueueIsFull() throws Exception {
        try (TestBroker broker = TestBroker.start(directory, Quotas.messages(1))) {
            try (JMSContext context = broker.jms().createContext()) {
                context.createProducer().send(context.createQueue("DLQ"), "fills it");
                context.createProducer().send(context.createQueue("work"), "poison");
            }
            try (Connection connection = broker.jms().createConnection()) {
                List<Long> deliveries = reject(connection, "work");
                assertThatRestsDouble(deliveries);
                assertThat(find(broker, "DLQ").quota().messages()).isEqualTo(1);
                try (JMSContext reader = broker.jms().createContext()) {
                    Queue dead = reader.createQueue("DLQ");
                    assertThat(reader.createConsumer(dead).receiveBody(String.class, 60_000))
                            .isEqualTo("fills it");
                }
                Awaitility.await().until(() -> find(broker, "work").quota().messages() == 0);
                assertThat(find(broker, "DLQ").quota().messages()).isEqualTo(1);
            }
        }
    }

    @Test
    void whatIsRejectedInTheDeadLetterQueueRestsThere() throws Exception {
        try (TestBroker broker = TestBroker.start(directory)) {
            try (JMSContext context = broker.jms().createContext()) {
                context.createProducer().send(context.createQueue("DLQ"), "poison");
            }
            try (Connection connection = broker.jms().createConnection()) {
                assertThatRestsDouble(reject(connection, "DLQ"));
                assertThat(find(broker, "DLQ").quota().messages()).isEqualTo(1);
            }
        }
    }

    private static void assertThatRestsDouble(List<Long> deliveries) {
        Awaitility.await().until(() -> deliveries.size() >= 3);
        assertThat(deliveries.get(1) - deliveries.get(0)).as("first rest, ns").isGreaterThan(rested(REST_MS));
        assertThat(deliveries.get(2) - deliveries.get(1)).as("second rest, ns").isGreaterThan(rested(2 * REST_MS));
    }

    /** The broker's clock and this one count in other steps. */
    private static long rested(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms - 50);
    }

    /** Every delivery is rejected, as soon as it comes. @return when they came, ns */
    private static List<Long> reject(Connection connection, String queue) throws Exception {
        List<Long> deliveries = new CopyOnWriteArrayList<>();
        connection.start();
        Session session = connection.createSession(false, 101); // the client's own: acknowledges one message
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
        consumer.setMessageListener(message -> {
            deliveries.add(System.nanoTime());
            try {
                message.setIntProperty("JMS_AMQP_ACK_TYPE", 2); // REJECTED
                message.acknowledge();
            } catch (jakarta.jms.JMSException e) {
                throw new IllegalStateException(e);
            }
        });
        return deliveries;
    }
}
