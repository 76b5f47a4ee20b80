package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An address at its quota slows its own publishers and nobody else. */
@Timeout(120)
class BackPressureScenarioTest {
    private static final int QUOTA = 50;
    /** More than what is on its way to a reader that keeps up. */
    private static final int ROOMY = 2_000;

    private static final int WAIT_MS = 10_000;

    @TempDir
    private Path directory;

    static TestSettings withQuota(long messages) {
        return TestSettings.of("ringtable.commit.quota-messages", messages);
    }

    static TestSettings withQuotaBytes(long bytes) {
        return TestSettings.of("ringtable.commit.quota-bytes", bytes);
    }

    private static AddressQuota quota(TestBroker broker, String address) {
        return broker.shard().lookup().find(address).quota();
    }

    /** Counts outcomes. */
    private static final class Outcomes implements CompletionListener {
        private final AtomicInteger accepted = new AtomicInteger();
        private final List<Exception> refused = new CopyOnWriteArrayList<>();

        @Override
        public void onCompletion(Message message) {
            accepted.incrementAndGet();
        }

        @Override
        public void onException(Message message, Exception exception) {
            refused.add(exception);
        }
    }

    @Test
    void aFullQueueHoldsItsPublisherUntilItsReaderCatchesUp() throws Exception {
        try (TestBroker broker = TestBroker.start(directory, withQuota(QUOTA));
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("full");
            Outcomes outcomes = new Outcomes();
            Thread publisher = new Thread(() -> publishAll(connection, queue, 4 * QUOTA, outcomes));
            publisher.start();
            Awaitility.await().until(() -> outcomes.accepted.get() == QUOTA);
            assertThat(quota(broker, "full").messages()).isEqualTo(QUOTA);
            assertThat(broker.counters().creditStalls.sum()).isPositive();

            MessageConsumer consumer =
                    connection.createSession(false, Session.AUTO_ACKNOWLEDGE).createConsumer(queue);
            for (int i = 0; i < 4 * QUOTA; i++) {
                TextMessage message = (TextMessage) consumer.receive(WAIT_MS);
                assertThat(message.getText()).isEqualTo(Integer.toString(i));
                assertThat(quota(broker, "full").messages()).isLessThanOrEqualTo(QUOTA);
            }
            publisher.join(WAIT_MS);
            Awaitility.await().until(() -> outcomes.accepted.get() == 4 * QUOTA);
            assertThat(outcomes.refused).isEmpty();
        }
    }

    private static void publishAll(Connection connection, Queue queue, int count, CompletionListener listener) {
        try {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < count; i++) {
                producer.send(session.createTextMessage(Integer.toString(i)), listener);
            }
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void idlePublishersGiveTheirPlacesToBusyOnes() throws Exception {
        try (TestBroker broker = TestBroker.start(directory, withQuota(8));
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("narrow");
            for (int i = 0; i < 10; i++) {
                session.createProducer(queue); // each would like some credit
            }
            Session busy = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = busy.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);
            for (int i = 0; i < 20; i++) {
                producer.send(busy.createTextMessage(Integer.toString(i)));
                assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo(Integer.toString(i));
            }
        }
    }

    @Test
    void placesComeBackWhenLinksAndConnectionsEnd() throws Exception {
        try (TestBroker broker = TestBroker.start(directory)) {
            for (int i = 0; i < 3; i++) {
                try (Connection connection = broker.jms().createConnection()) {
                    connection.start();
                    Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                    MessageProducer producer = session.createProducer(session.createQueue("given-back"));
                    assertThat(quota(broker, "given-back").messages()).isPositive();
                    if (i == 0) {
                        producer.close();
                    } else if (i == 1) {
                        session.close();
                    }
                }
                Awaitility.await()
                        .untilAsserted(
                                () -> assertThat(quota(broker, "given-back").messages())
                                        .isZero());
            }
        }
    }

    @Test
    void anAnonymousLinkParksForAFullAddressAndServesTheOthers() throws Exception {
        try (TestBroker broker = TestBroker.start(
                        directory,
                        // A fifth of the credit may wait: 20 messages.
                        withQuota(QUOTA)
                                .with("ringtable.amqp.link-credit", 100, "ringtable.amqp.parked-timeout", "60s"));
                JMSContext context = broker.jms().createContext()) {
            Queue full = context.createQueue("full");
            Queue free = context.createQueue("free");
            JMSProducer producer = context.createProducer();
            for (int i = 0; i < QUOTA; i++) {
                producer.send(full, Integer.toString(i));
            }
            Outcomes parked = new Outcomes();
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
            Awaitility.await().until(() -> quota(broker, "free").messages() == QUOTA);

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
                        TestBroker.start(directory, withQuota(5).with("ringtable.amqp.parked-timeout", "500ms"));
                JMSContext context = broker.jms().createContext()) {
            Queue full = context.createQueue("full");
            JMSProducer producer = context.createProducer();
            for (int i = 0; i < 5; i++) {
                producer.send(full, "x");
            }
            assertThatThrownBy(() -> producer.send(full, "first to wait"))
                    .isInstanceOf(jakarta.jms.ResourceAllocationRuntimeException.class);
            long began = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> producer.send(full, "known to be full"))
                        .isInstanceOf(jakarta.jms.ResourceAllocationRuntimeException.class);
                producer.send(context.createQueue("other"), "passes");
                try (JMSContext reader = broker.jms().createContext()) {
                    reader.createConsumer(reader.createQueue("other")).receiveBody(String.class, WAIT_MS);
                }
            }
            // Waiting for each would have taken 20 times the time-out.
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isLessThan(20 * 500);
            try (JMSContext reader = broker.jms().createContext()) {
                reader.createConsumer(reader.createQueue("full")).receiveBody(String.class, WAIT_MS);
            }
            Awaitility.await().ignoreExceptions().until(() -> {
                producer.send(full, "has room again");
                return true;
            });
        }
    }

    @Test
    void aStalledSubscriptionOfOneTopicLeavesTheOtherAddressAlone() throws Exception {
        try (TestBroker broker =
                TestBroker.start(directory, withQuota(ROOMY).with("ringtable.amqp.parked-timeout", "3s"))) {
            try (JMSContext sleeper = broker.jms().createContext()) {
                sleeper.setClientID("sleeper");
                sleeper.createDurableConsumer(sleeper.createTopic("busy-topic"), "asleep")
                        .close();
            }
            try (JMSContext context = broker.jms().createContext();
                    JMSContext reader = broker.jms().createContext()) {
                Topic topic = context.createTopic("busy-topic");
                Queue queue = context.createQueue("lively");
                AtomicInteger read = new AtomicInteger();
                reader.createConsumer(queue).setMessageListener(message -> read.incrementAndGet());
                Outcomes toTopic = new Outcomes();
                Outcomes toQueue = new Outcomes();
                JMSProducer producer = context.createProducer();
                for (int i = 0; i < 3 * ROOMY; i++) {
                    int sent = i;
                    // The queue's own quota is not what this is about: its reader stays near.
                    Awaitility.await()
                            .pollInterval(1, TimeUnit.MILLISECONDS)
                            .atMost(6 * WAIT_MS, TimeUnit.MILLISECONDS)
                            .until(() -> sent - read.get() < ROOMY / 2);
                    producer.setAsync(toTopic).send(topic, "t" + i);
                    producer.setAsync(toQueue).send(queue, "q" + i);
                }
                Awaitility.await()
                        .atMost(6 * WAIT_MS, TimeUnit.MILLISECONDS)
                        .untilAsserted(() -> assertThat(read.get())
                                .as(
                                        "%d rejected, %d parked, %d owed",
                                        broker.counters().rejected.sum(),
                                        broker.counters().parked.sum(),
                                        quota(broker, "lively").messages())
                                .isEqualTo(3 * ROOMY));
                Awaitility.await().until(() -> toTopic.accepted.get() + toTopic.refused.size() == 3 * ROOMY);
                assertThat(toQueue.refused).isEmpty();
                assertThat(toTopic.accepted.get()).isEqualTo(ROOMY);
            }
        }
    }

    @Test
    void largeMessagesBeyondTheMemoryBoundComeThroughInOrder() throws Exception {
        try (TestBroker broker = TestBroker.start(
                        directory,
                        TestSettings.of(
                                "ringtable.amqp.max-message-size", 400_000,
                                "ringtable.amqp.buffered-bytes-max", 1_000_000));
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("heavy");
            MessageProducer producer = session.createProducer(queue);
            Outcomes outcomes = new Outcomes();
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
    void aFullHandOffHoldsTransfersBackAndKeepsTheirOrder() throws Exception {
        int least = 128; // works, where as few bytes as possible may wait
        try (TestBroker broker =
                        TestBroker.start(directory, TestSettings.of("ringtable.commit.inbox-bytes-max", "1MB"));
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("crowded");
            Outcomes outcomes = new Outcomes();
            int count = 100 * least;
            Thread publisher = new Thread(() -> publishAll(connection, queue, count, outcomes));
            publisher.start();
            MessageConsumer consumer = session.createConsumer(queue);
            for (int i = 0; i < count; i++) {
                TextMessage message = (TextMessage) consumer.receive(WAIT_MS);
                assertThat(message.getText()).isEqualTo(Integer.toString(i));
            }
            publisher.join(WAIT_MS);
            Awaitility.await().until(() -> outcomes.accepted.get() == count);
            assertThat(broker.counters().creditStalls.sum())
                    .as("times it was full")
                    .isPositive();
        }
    }

    @Test
    void aGracefulStopAnswersEverythingItHasTaken() throws Exception {
        Outcomes outcomes = new Outcomes();
        AtomicInteger sent = new AtomicInteger();
        // A stop that waits for its time-out fails the test.
        try (TestBroker broker = TestBroker.start(directory, TestSettings.of("ringtable.amqp.stop-timeout", "10m"))) {
            Connection connection = broker.jms().createConnection();
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(session.createQueue("until-the-end"));
            Thread publisher = new Thread(() -> {
                try {
                    while (true) {
                        producer.send(session.createTextMessage("x"), outcomes);
                        sent.incrementAndGet();
                    }
                } catch (JMSException e) {
                    assertThat(e).hasMessageContaining("RT-4037");
                }
            });
            publisher.setDaemon(true);
            publisher.start();
            Awaitility.await().until(() -> outcomes.accepted.get() > 1_000);
        }
        try (TestBroker broker = TestBroker.start(directory)) {
            broker.jms().createContext().close();
            Awaitility.await()
                    .untilAsserted(
                            () -> assertThat(quota(broker, "until-the-end").messages())
                                    .isEqualTo(outcomes.accepted.get()));
        }
    }

    @Test
    void anAddressHoldsNoMoreBytesThanItsQuotaWhateverCreditWasGivenBefore() throws Exception {
        long quotaBytes = 1_000_000;
        int count = 200;
        try (TestBroker broker = TestBroker.start(
                        directory,
                        // A quarter of the bytes without an outcome may wait: three messages.
                        withQuotaBytes(quotaBytes)
                                .with(
                                        "ringtable.amqp.max-message-size",
                                        200_000,
                                        "ringtable.amqp.buffered-bytes-max",
                                        4 * 3 * 100_000));
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("narrow");
            Outcomes outcomes = new Outcomes();
            Thread publisher = new Thread(() -> publishLarge(connection, queue, count, outcomes));
            publisher.start();
            Awaitility.await().until(() -> outcomes.accepted.get() >= 9);
            assertThat(quota(broker, "narrow").bytes()).isLessThanOrEqualTo(quotaBytes);

            Session reading = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = reading.createConsumer(queue);
            for (int i = 0; i < count; i++) {
                assertThat(((BytesMessage) consumer.receive(WAIT_MS)).readInt()).isEqualTo(i);
                assertThat(quota(broker, "narrow").bytes()).isLessThanOrEqualTo(quotaBytes);
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
        try (TestBroker broker = TestBroker.start(directory, withQuotaBytes(10_000));
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
        Outcomes outcomes = new Outcomes();
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
        assertThat(end.get(30, TimeUnit.SECONDS)).hasStackTraceContaining("RT-4037");
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory))) {
            assertThat(store.orphanedBodies()).isEmpty();
        }
    }
}
