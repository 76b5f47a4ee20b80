package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An address at its quota slows its own publishers and nobody else. */
@Timeout(120)
class BackPressureScenarioTest {
    private static final int QUOTA = 50;
    /** More than what is on its way to a reader that keeps up. */
    private static final int ROOMY = 2_000;

    private static final int WAIT_MS = 60_000;

    @TempDir
    private Path directory;

    @Test
    void aFullQueueHoldsItsPublisherUntilItsReaderCatchesUp() throws Exception {
        try (TestBroker broker = TestBroker.start(directory, Quotas.messages(QUOTA));
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("full");
            SendOutcomes outcomes = new SendOutcomes();
            Thread publisher = new Thread(() -> publishAll(connection, queue, 4 * QUOTA, outcomes));
            publisher.start();
            Awaitility.await().until(() -> outcomes.accepted.get() == QUOTA);
            assertThat(Quotas.quota(broker, "full").messages()).isEqualTo(QUOTA);
            assertThat(broker.counters().creditStalls.sum()).isPositive();

            MessageConsumer consumer =
                    connection.createSession(false, Session.AUTO_ACKNOWLEDGE).createConsumer(queue);
            for (int i = 0; i < 4 * QUOTA; i++) {
                TextMessage message = (TextMessage) consumer.receive(WAIT_MS);
                assertThat(message.getText()).isEqualTo(Integer.toString(i));
                assertThat(Quotas.quota(broker, "full").messages()).isLessThanOrEqualTo(QUOTA);
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
        try (TestBroker broker = TestBroker.start(directory, Quotas.messages(8));
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
                    assertThat(Quotas.quota(broker, "given-back").messages()).isPositive();
                    if (i == 0) {
                        producer.close();
                    } else if (i == 1) {
                        session.close();
                    }
                }
                Awaitility.await()
                        .untilAsserted(() -> assertThat(
                                        Quotas.quota(broker, "given-back").messages())
                                .isZero());
            }
        }
    }

    @Test
    void aStalledSubscriptionOfOneTopicLeavesTheOtherAddressAlone() throws Exception {
        try (TestBroker broker =
                TestBroker.start(directory, Quotas.messages(ROOMY).with("ringtable.amqp.parked-timeout", "3000ms"))) {
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
                // The queue's own quota is not what this is about: its reader stays near.
                Semaphore near = new Semaphore(ROOMY / 2);
                reader.createConsumer(queue).setMessageListener(message -> {
                    read.incrementAndGet();
                    near.release();
                });
                SendOutcomes toTopic = new SendOutcomes();
                SendOutcomes toQueue = new SendOutcomes();
                JMSProducer producer = context.createProducer();
                for (int i = 0; i < 3 * ROOMY; i++) {
                    assertThat(near.tryAcquire(WAIT_MS, TimeUnit.MILLISECONDS)).isTrue();
                    producer.setAsync(toTopic).send(topic, "t" + i);
                    producer.setAsync(toQueue).send(queue, "q" + i);
                }
                Awaitility.await()
                        .untilAsserted(() -> assertThat(read.get())
                                .as(
                                        "%d rejected, %d parked, %d owed",
                                        broker.counters().rejected.sum(),
                                        broker.counters().parked.sum(),
                                        Quotas.quota(broker, "lively").messages())
                                .isEqualTo(3 * ROOMY));
                Awaitility.await().until(() -> toTopic.accepted.get() + toTopic.refused.size() == 3 * ROOMY);
                assertThat(toQueue.refused).isEmpty();
                assertThat(toTopic.accepted.get()).isEqualTo(ROOMY);
            }
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
            SendOutcomes outcomes = new SendOutcomes();
            MessageConsumer consumer = session.createConsumer(queue); // creates it
            int count = 10 * least;
            Thread publisher = new Thread(() -> publishAll(connection, queue, count, outcomes));
            try (java.sql.Connection other =
                            DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable.db"));
                    Statement statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE"); // the broker's next flush waits for it
                publisher.start();
                Awaitility.await().until(() -> broker.counters().creditStalls.sum() > 0);
                statement.execute("ROLLBACK");
            }
            for (int i = 0; i < count; i++) {
                TextMessage message = (TextMessage) consumer.receive(WAIT_MS);
                assertThat(message.getText()).isEqualTo(Integer.toString(i));
            }
            publisher.join(WAIT_MS);
            Awaitility.await().until(() -> outcomes.accepted.get() == count);
        }
    }

    @Test
    void aGracefulStopAnswersEverythingItHasTaken() throws Exception {
        SendOutcomes outcomes = new SendOutcomes();
        AtomicInteger sent = new AtomicInteger();
        // A stop that waits for its time-out fails the test.
        try (TestBroker broker = TestBroker.start(
                directory, TestSettings.of("ringtable.amqp.stop-timeout", TimeUnit.MINUTES.toMillis(10) + "ms"))) {
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
                    .untilAsserted(() -> assertThat(
                                    Quotas.quota(broker, "until-the-end").messages())
                            .isEqualTo(outcomes.accepted.get()));
        }
    }
}
