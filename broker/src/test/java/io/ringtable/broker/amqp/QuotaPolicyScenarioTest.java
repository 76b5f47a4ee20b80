package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.status.LinkStatus.WaitsFor;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Quotas that policies say count at once, for the addresses and publishers that are there, and after a restart. */
@Timeout(120)
class QuotaPolicyScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final long DEFAULT_MESSAGES = TestSettings.of().commit().quotaMessages();
    private static final long DEFAULT_BYTES =
            TestSettings.of().commit().quotaBytes().toBytes();

    @TempDir
    private static Path directory;

    private static TestBroker broker;
    private static Administrator anybody;

    private Connection connection;
    private Session session;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of(
                        "ringtable.dispatch.addresses[0].match",
                        "narrow.#",
                        "ringtable.dispatch.addresses[0].messages-max",
                        4,
                        "ringtable.dispatch.addresses[0].bytes-max",
                        "10KB"));
        anybody = Administrator.of(broker, "");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void connect() throws JMSException {
        connection = broker.jms().createConnection();
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    @AfterEach
    void disconnect() throws JMSException {
        connection.close();
    }

    private static void makeQueue(String name) {
        anybody.make("/addresses/" + name, "{'kind': 'queue'}");
    }

    private static long shown(String address, String field) {
        return anybody.get("/addresses/" + address).get(field).asLong();
    }

    private MessageProducer producer(String queue) throws JMSException {
        return session.createProducer(session.createQueue(queue));
    }

    private void send(MessageProducer producer, int from, int to) throws JMSException {
        for (int i = from; i < to; i++) {
            producer.send(session.createTextMessage(Integer.toString(i)));
        }
    }

    private CompletableFuture<Void> sending(MessageProducer producer, int from, int to) {
        return CompletableFuture.runAsync(() -> {
            try {
                send(producer, from, to);
            } catch (JMSException e) {
                throw new CompletionException(e);
            }
        });
    }

    /** Receives by a connection of its own: the other one's session belongs to who sends. */
    private static List<String> receive(String queue, int count) throws JMSException {
        List<String> texts = new ArrayList<>();
        try (Connection other = broker.jms().createConnection()) {
            other.start();
            Session reading = other.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = reading.createConsumer(reading.createQueue(queue));
            for (int i = 0; i < count; i++) {
                texts.add(consumer.receive(WAIT_MS).getBody(String.class));
            }
        }
        return texts;
    }

    private static void awaitThatAPublisherWaits(String address) {
        await().until(() -> broker
                .connections()
                .links(100, null, null, null)
                .toCompletableFuture()
                .get(WAIT_MS, TimeUnit.MILLISECONDS)
                .items()
                .stream()
                .anyMatch(link -> address.equals(link.address()) && link.waitsFor() == WaitsFor.ROOM));
    }

    @Test
    void aPublisherThatWaitsAtTheQuotaOfAPolicyGoesOnAsSoonAsItIsRaised() throws Exception {
        makeQueue("orders.eu");
        assertThat(anybody.make("/policies/orders.#", "{'messagesMax': 3}")
                        .get("messagesMax")
                        .asLong())
                .isEqualTo(3);
        CompletableFuture<Void> sending = sending(producer("orders.eu"), 0, 10);

        await().until(() -> shown("orders.eu", "messages") == 3);
        awaitThatAPublisherWaits("orders.eu");
        assertThat(shown("orders.eu", "messagesMax")).isEqualTo(3);
        anybody.change("/policies/orders.#", "{'messagesMax': 5}");
        await().until(() -> shown("orders.eu", "messages") == 5);
        awaitThatAPublisherWaits("orders.eu");
        assertThat(sending).isNotDone();

        anybody.delete("/policies/orders.#");
        sending.get(WAIT_MS, TimeUnit.MILLISECONDS);
        assertThat(shown("orders.eu", "messagesMax")).isEqualTo(DEFAULT_MESSAGES);
        assertThat(receive("orders.eu", 10)).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
    }

    @Test
    void aQuotaBelowWhatIsStoredHoldsPublishersBackThatHaveCreditAndLosesNothing() throws Exception {
        MessageProducer producer = producer("lowered");
        send(producer, 0, 5);
        anybody.make("/policies/lowered", "{'messagesMax': 2}");
        CompletableFuture<Void> sending = sending(producer, 5, 8);

        awaitThatAPublisherWaits("lowered");
        await().untilAsserted(() -> assertThat(shown("lowered", "messages")).isEqualTo(5));
        assertThat(sending).isNotDone();

        assertThat(receive("lowered", 8)).containsExactly("0", "1", "2", "3", "4", "5", "6", "7");
        sending.get(WAIT_MS, TimeUnit.MILLISECONDS);
        await().untilAsserted(() -> assertThat(shown("lowered", "messages")).isLessThanOrEqualTo(2));
        anybody.delete("/policies/lowered");
    }

    @Test
    void aTransferThatWaitsAndCanNeverFitAnyMoreIsRefused() throws Exception {
        MessageProducer producer = producer("shrunk");
        send(producer, 0, 2);
        anybody.make("/policies/shrunk", "{'messagesMax': 1}");
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            try {
                producer.send(session.createTextMessage("x".repeat(5_000)));
            } catch (JMSException e) {
                throw new CompletionException(e);
            }
        });
        awaitThatAPublisherWaits("shrunk");

        anybody.change("/policies/shrunk", "{'messagesMax': 1, 'bytesMax': 4000}");

        assertThatThrownBy(() -> sending.get(WAIT_MS, TimeUnit.MILLISECONDS)).hasMessageContaining("RT-4340");
        assertThat(shown("shrunk", "bytesMax")).isEqualTo(4_000);
        assertThat(receive("shrunk", 2)).containsExactly("0", "1");
        anybody.delete("/policies/shrunk");
    }

    @Test
    void aPolicyOfTheConfigurationHoldsWhereNoneOfRunTimeSaysOtherwise() throws Exception {
        MessageProducer producer = producer("narrow.street");
        assertThatThrownBy(() -> producer.send(session.createTextMessage("x".repeat(11_000))))
                .hasMessageContaining("RT-4340")
                .hasMessageContaining("10240 bytes");
        assertThat(shown("narrow.street", "messagesMax")).isEqualTo(4);
        anybody.make("/policies/narrow.street", "{'messagesMax': 7}");
        assertThat(shown("narrow.street", "messagesMax")).isEqualTo(7);
        assertThat(shown("narrow.street", "bytesMax")).isEqualTo(10_240);
        anybody.delete("/policies/narrow.street");
        assertThat(shown("narrow.street", "messagesMax")).isEqualTo(4);
    }

    @Test
    void theQuotaOfAPolicySurvivesARestartAndTheDefaultComesBackWithoutIt() throws Exception {
        makeQueue("kept.before");
        anybody.make("/policies/kept.#", "{'messagesMax': 2, 'bytesMax': 5000}");
        connection.close();
        broker.close();
        start();
        connect();

        makeQueue("kept.after");
        assertThat(List.of(shown("kept.before", "messagesMax"), shown("kept.before", "bytesMax")))
                .isEqualTo(List.of(shown("kept.after", "messagesMax"), shown("kept.after", "bytesMax")))
                .isEqualTo(List.of(2L, 5_000L));
        CompletableFuture<Void> sending = sending(producer("kept.before"), 0, 3);
        await().until(() -> shown("kept.before", "messages") == 2);
        awaitThatAPublisherWaits("kept.before");

        anybody.delete("/policies/kept.#");
        sending.get(WAIT_MS, TimeUnit.MILLISECONDS);
        assertThat(List.of(shown("kept.before", "messagesMax"), shown("kept.before", "bytesMax")))
                .isEqualTo(List.of(shown("kept.after", "messagesMax"), shown("kept.after", "bytesMax")))
                .isEqualTo(List.of(DEFAULT_MESSAGES, DEFAULT_BYTES));
    }

    @Test
    void anAddressHasTheQuotaThatTheConfigurationSaysTodayWithAndWithoutAPolicyBefore(@TempDir Path own) {
        try (TestBroker before = TestBroker.start(own, TestSettings.of("ringtable.commit.quota-messages", 5))) {
            Administrator somebody = Administrator.of(before, "");
            for (String name : List.of("plain", "ruled")) {
                somebody.make("/addresses/" + name, "{'kind': 'queue'}");
                assertThat(Quotas.quota(before, name).messagesMax()).isEqualTo(5);
            }
            somebody.make("/policies/ruled", "{'messagesMax': 3}");
        }
        try (TestBroker after = TestBroker.start(own, TestSettings.of("ringtable.commit.quota-messages", 9))) {
            assertThat(Quotas.quota(after, "plain").messagesMax()).isEqualTo(9);
            assertThat(Quotas.quota(after, "ruled").messagesMax()).isEqualTo(3);
            Administrator.of(after, "").delete("/policies/ruled");
            assertThat(Quotas.quota(after, "ruled").messagesMax()).isEqualTo(9);
        }
    }

    @Test
    void temporaryAddressesFollowThePolicyOfNow() throws Exception {
        TemporaryQueue before = session.createTemporaryQueue();
        anybody.make("/policies/#", "{'messagesMax': 9}");
        TemporaryQueue after = session.createTemporaryQueue();
        assertThat(Quotas.quota(broker, before.getQueueName()).messagesMax()).isEqualTo(9);
        assertThat(Quotas.quota(broker, after.getQueueName()).messagesMax()).isEqualTo(9);
        anybody.delete("/policies/#");
        assertThat(Quotas.quota(broker, after.getQueueName()).messagesMax()).isEqualTo(DEFAULT_MESSAGES);
    }
}
