package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A link without an address of its own waits for a full address without holding up the others. */
@Timeout(120)
class AnonymousLinkScenarioTest {
    private static final int QUOTA = 50;
    private static final int WAIT_MS = 60_000;

    @TempDir
    private Path directory;

    @Test
    void anAnonymousLinkParksForAFullAddressAndServesTheOthers() throws Exception {
        try (TestBroker broker = TestBroker.start(
                        directory,
                        // A fifth of the credit may wait: 20 messages.
                        Quotas.messages(QUOTA)
                                .with("ringtable.amqp.link-credit", 100, "ringtable.amqp.parked-timeout", "60s"));
                JMSContext context = broker.jms().createContext()) {
            Queue full = context.createQueue("full");
            Queue free = context.createQueue("free");
            JMSProducer producer = context.createProducer();
            for (int i = 0; i < QUOTA; i++) {
                producer.send(full, Integer.toString(i));
            }
            SendOutcomes parked = new SendOutcomes();
            producer.setAsync(parked);
            for (int i = QUOTA; i < QUOTA + 20; i++) {
                producer.send(full, Integer.toString(i));
            }
            Awaitility.await().until(() -> broker.counters().parked.sum() == 20);
            producer.send(full, "one too many");
            Awaitility.await().until(() -> broker.counters().rejected.sum() == 1);
            for (int i = 0; i < QUOTA; i++) {
                producer.send(free, Integer.toString(i)); // its listener hears in the order of sending: later
            }
            Awaitility.await().until(() -> Quotas.held(broker, "free") == QUOTA);

            try (Connection reader = broker.jms().createConnection()) {
                reader.start();
                Session session = reader.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageConsumer consumer = session.createConsumer(session.createQueue("full"));
                for (int i = 0; i < QUOTA + 20; i++) {
                    assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText())
                            .isEqualTo(Integer.toString(i));
                }
            }
            Awaitility.await().until(() -> parked.accepted.get() == 20 + QUOTA);
            assertThat(parked.refused).hasSize(1);
            assertThat(parked.refused.get(0))
                    .isInstanceOf(jakarta.jms.ResourceAllocationException.class)
                    .hasMessageContaining("RT-4051 queue 'full' is full: 50 of 50 messages");
            assertThat(broker.counters().parked.sum()).isZero();
        }
    }

    @Test
    void anAnonymousSendToAnAddressThatStaysFullIsRefusedInTime() throws Exception {
        try (TestBroker broker =
                        TestBroker.start(directory, Quotas.messages(5).with("ringtable.amqp.parked-timeout", "500ms"));
                JMSContext context = broker.jms().createContext()) {
            Queue full = context.createQueue("full");
            JMSProducer producer = context.createProducer();
            for (int i = 0; i < 5; i++) {
                producer.send(full, "x");
            }
            assertThatThrownBy(() -> producer.send(full, "first to wait"))
                    .isInstanceOf(jakarta.jms.ResourceAllocationRuntimeException.class);
            SendOutcomes known = new SendOutcomes();
            for (int i = 0; i < 20; i++) {
                producer.setAsync(known).send(full, "known to be full");
                producer.setAsync(null).send(context.createQueue("other"), "passes");
                assertThat(broker.counters().parked.sum())
                        .as("waiting, when the one behind it was accepted")
                        .isZero();
                try (JMSContext reader = broker.jms().createContext()) {
                    reader.createConsumer(reader.createQueue("other")).receiveBody(String.class, WAIT_MS);
                }
            }
            Awaitility.await().until(() -> known.refused.size() == 20);
            try (JMSContext reader = broker.jms().createContext()) {
                reader.createConsumer(reader.createQueue("full")).receiveBody(String.class, WAIT_MS);
            }
            Awaitility.await().ignoreExceptions().until(() -> {
                producer.send(full, "has room again");
                return true;
            });
        }
    }
}
