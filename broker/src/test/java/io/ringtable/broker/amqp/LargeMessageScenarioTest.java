package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Large messages: what is held of them in memory, in a quota and in overflow is bounded and given back. */
@Timeout(120)
class LargeMessageScenarioTest {
    private static final int WAIT_MS = 60_000;

    @TempDir
    private Path directory;

    @Test
    void largeMessagesBeyondTheMemoryBoundComeThroughInOrder() throws Exception {
        try (TestBroker broker = TestBroker.start(
                        directory,
                        TestSettings.of(
                                "ringtable.amqp.max-message-size",
                                400_000,
                                "ringtable.amqp.buffered-bytes-max",
                                1_000_000));
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("heavy");
            MessageProducer producer = session.createProducer(queue);
            SendOutcomes outcomes = new SendOutcomes();
            int count = 60;
            for (int i = 0; i < count; i++) {
                BytesMessage message = session.createBytesMessage();
                message.writeInt(i);
                message.writeBytes(new byte[i % 3 == 0 ? 100 : 300_000]);
                producer.send(message, outcomes);
            }
            MessageConsumer consumer =
                    connection.createSession(false, Session.AUTO_ACKNOWLEDGE).createConsumer(queue);
            for (int i = 0; i < count; i++) {
                BytesMessage message = (BytesMessage) consumer.receive(WAIT_MS);
                assertThat(message).as("message %d", i).isNotNull();
                assertThat(message.readInt()).isEqualTo(i);
            }
            Awaitility.await().until(() -> outcomes.accepted.get() == count);
        }
    }

    @Test
    void anAddressHoldsNoMoreBytesThanItsQuotaWhateverCreditWasGivenBefore() throws Exception {
        long quotaBytes = 1_000_000;
        int count = 200;
        try (TestBroker broker = TestBroker.start(
                        directory,
                        // A quarter of the bytes without an outcome may wait: three messages.
                        Quotas.bytes(quotaBytes)
                                .with(
                                        "ringtable.amqp.max-message-size",
                                        200_000,
                                        "ringtable.amqp.buffered-bytes-max",
                                        4 * 3 * 100_000));
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("narrow");
            SendOutcomes outcomes = new SendOutcomes();
            Thread publisher = new Thread(() -> publishLarge(connection, queue, count, outcomes));
            publisher.start();
            Awaitility.await().until(() -> outcomes.accepted.get() >= 9);
            assertThat(Quotas.quota(broker, "narrow").bytes()).isLessThanOrEqualTo(quotaBytes);

            Session reading = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = reading.createConsumer(queue);
            for (int i = 0; i < count; i++) {
                assertThat(((BytesMessage) consumer.receive(WAIT_MS)).readInt()).isEqualTo(i);
                assertThat(Quotas.quota(broker, "narrow").bytes()).isLessThanOrEqualTo(quotaBytes);
            }
            publisher.join(WAIT_MS);
            Awaitility.await().until(() -> outcomes.accepted.get() == count);
            assertThat(outcomes.refused).isEmpty();
        }
    }

    private static void publishLarge(Connection connection, Queue queue, int count, CompletionListener listener) {
        try {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < count; i++) {
                BytesMessage message = session.createBytesMessage();
                message.writeInt(i);
                message.writeBytes(new byte[100_000]);
                producer.send(message, listener);
            }
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aMessageLargerThanTheQuotaIsRefusedByName() throws Exception {
        try (TestBroker broker = TestBroker.start(directory, Quotas.bytes(10_000));
                JMSContext context = broker.jms().createContext()) {
            JMSProducer producer = context.createProducer();
            assertThatThrownBy(() -> producer.send(context.createQueue("small"), new byte[20_000]))
                    .hasMessageContaining("RT-4340 a transfer of 20");
            producer.send(context.createQueue("small"), new byte[5_000]);
        }
    }

    /** A connection that ends while large bodies are on their way to overflow leaves none there without a message. */
    @RepeatedTest(3)
    void largeBodiesOfAConnectionThatEndsBeforeTheyAreClaimedDoNotStay() throws Exception {
        SendOutcomes outcomes = new SendOutcomes();
        CompletableFuture<JMSException> end = new CompletableFuture<>();
        // The client keeps in memory all that it has credit for.
        try (TestBroker broker = TestBroker.start(directory, TestSettings.of("ringtable.amqp.link-credit", 20))) {
            Connection connection = broker.jms().createConnection();
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue("large"));
            Thread publisher = new Thread(() -> {
                try {
                    while (true) {
                        BytesMessage message = session.createBytesMessage();
                        message.writeBytes(new byte[1_000_000]);
                        producer.send(message, outcomes);
                    }
                } catch (JMSException e) {
                    end.complete(e);
                }
            });
            publisher.setDaemon(true);
            publisher.start();
            Awaitility.await().until(() -> outcomes.accepted.get() >= 3);
        } // which ends the connection while more is on its way
        assertThat(end.get(60, TimeUnit.SECONDS)).hasStackTraceContaining("RT-4037");
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory))) {
            assertThat(store.orphanedBodies()).isEmpty();
        }
    }
}
