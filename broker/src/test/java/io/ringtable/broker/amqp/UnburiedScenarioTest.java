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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A message that cannot leave its address rests there: neither lost, nor delivered as fast as somebody rejects it. */
@Timeout(120)
class UnburiedScenarioTest {
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
        try (TestBroker broker = TestBroker.start(directory, BackPressureScenarioTest.withQuota(1))) {
            try (JMSContext context = broker.jms().createContext()) {
                context.createProducer().send(context.createQueue("DLQ"), "fills it");
                context.createProducer().send(context.createQueue("work"), "poison");
            }
            LongAdder deliveries = broker.counters().messagesOut;
            try (Connection connection = broker.jms().createConnection()) {
                reject(connection, "work");
                Awaitility.await().until(() -> deliveries.sum() >= 2);
                assertThat(find(broker, "DLQ").quota().messages()).isEqualTo(1);
                long before = deliveries.sum();
                Awaitility.await().pollDelay(2, TimeUnit.SECONDS).until(() -> true);
                assertThat(deliveries.sum() - before).as("deliveries in 2 s").isLessThanOrEqualTo(2);
                try (JMSContext reader = broker.jms().createContext()) {
                    Queue dead = reader.createQueue("DLQ");
                    assertThat(reader.createConsumer(dead).receiveBody(String.class, 10_000))
                            .isEqualTo("fills it");
                }
                Awaitility.await()
                        .atMost(30, TimeUnit.SECONDS)
                        .until(() -> find(broker, "work").quota().messages() == 0);
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
            LongAdder deliveries = broker.counters().messagesOut;
            try (Connection connection = broker.jms().createConnection()) {
                reject(connection, "DLQ");
                Awaitility.await().until(() -> deliveries.sum() >= 2);
                long before = deliveries.sum();
                Awaitility.await().pollDelay(2, TimeUnit.SECONDS).until(() -> true);
                assertThat(deliveries.sum() - before).as("deliveries in 2 s").isLessThanOrEqualTo(2);
                assertThat(find(broker, "DLQ").quota().messages()).isEqualTo(1);
            }
        }
    }

    /** Every delivery is rejected, as soon as it comes. */
    private static void reject(Connection connection, String queue) throws Exception {
        connection.start();
        Session session = connection.createSession(false, 101); // the client's own: acknowledges one message
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
        consumer.setMessageListener(message -> {
            try {
                message.setIntProperty("JMS_AMQP_ACK_TYPE", 2); // REJECTED
                message.acknowledge();
            } catch (jakarta.jms.JMSException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
