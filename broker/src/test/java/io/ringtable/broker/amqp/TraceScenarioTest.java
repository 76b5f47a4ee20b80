package io.ringtable.broker.amqp;

import static io.ringtable.broker.trace.TracedStep.Kind.COMMIT;
import static io.ringtable.broker.trace.TracedStep.Kind.DELIVER;
import static io.ringtable.broker.trace.TracedStep.Kind.PUBLISH;
import static io.ringtable.broker.trace.TracedStep.Kind.SETTLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.amqp.transport.ServerTls;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.trace.StepRecorder;
import io.ringtable.broker.trace.TracedStep;
import io.ringtable.broker.watermark.Watermarks;
import io.ringtable.broker.work.CommitMonitor;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Says which steps of a message the broker tells of, and that it tells of sampled messages only. */
@Timeout(120)
class TraceScenarioTest {
    private static final long RECEIVE_MS = 60_000;
    private static final String SPAN = "00f067aa0ba902b7";
    private static final int REJECTED = 2; // as Qpid JMS names the ways of acknowledging
    private static final StepRecorder STEPS = new StepRecorder();

    @TempDir
    static Path directory;

    private static RingtableBroker broker;

    private Connection connection;
    private Session session;

    private static void startBroker() {
        TestSettings settings = TestSettings.of("ringtable.commit.quota-messages", 10, "ringtable.queues", "full");
        broker = new RingtableBroker(
                        StoreSettings.embedded(directory),
                        settings.shard(),
                        settings.amqp(),
                        new ServerTls(settings.amqp().tls()),
                        settings.logins(),
                        CommitMonitor.NONE,
                        Watermarks.none(),
                        STEPS)
                .start();
    }

    @BeforeEach
    void connect() throws JMSException {
        if (broker == null) {
            startBroker();
        }
        connection = new JmsConnectionFactory("amqp://127.0.0.1:" + broker.amqpPort() + "?jms.prefetchPolicy.all=0")
                .createConnection();
        connection.start();
        session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
    }

    @AfterEach
    void disconnect() throws JMSException {
        connection.close();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void tellsOfEachStepOfASampledMessageInOrder() throws JMSException {
        String trace = "a".repeat(32);
        send("steps", trace, "01");
        receive("steps").acknowledge();

        await().untilAsserted(() -> assertThat(STEPS.of(trace))
                .extracting(TracedStep::kind)
                .containsExactlyInAnyOrder(PUBLISH, COMMIT, DELIVER, SETTLE));
        TracedStep publish = STEPS.only(trace, PUBLISH);
        TracedStep commit = STEPS.only(trace, COMMIT);
        TracedStep deliver = STEPS.only(trace, DELIVER);
        TracedStep settle = STEPS.only(trace, SETTLE);
        assertThat(STEPS.of(trace)).allSatisfy(step -> {
            assertThat(step.context().spanId()).isEqualTo(SPAN);
            assertThat(step.address()).isEqualTo("steps");
            assertThat(step.bytes()).isEqualTo(publish.bytes()).isPositive();
            assertThat(step.begun()).isLessThanOrEqualTo(step.ended());
            assertThat(step.error()).isNull();
        });
        assertThat(deliver.outcome()).isEqualTo("accepted");
        assertThat(publish.begun()).isLessThanOrEqualTo(commit.begun());
        assertThat(commit.ended()).isLessThanOrEqualTo(publish.ended()).isLessThanOrEqualTo(deliver.begun());
        assertThat(deliver.ended()).isLessThanOrEqualTo(settle.begun());
    }

    @Test
    void tellsNothingOfAMessageWhoseTraceNobodyRecords() throws JMSException {
        String unsampled = "b".repeat(32);
        String sampled = "c".repeat(32);
        send("silent", unsampled, "00");
        send("silent", sampled, "01");
        receive("silent");
        receive("silent").acknowledge(); // both

        await().untilAsserted(() -> assertThat(STEPS.of(sampled)).hasSize(4));
        assertThat(STEPS.of(unsampled)).isEmpty();
    }

    @Test
    void tellsOfEachSubscriptionOfATopic() throws JMSException {
        String trace = "d".repeat(32);
        MessageConsumer first = session.createSharedDurableConsumer(session.createTopic("news"), "first");
        MessageConsumer second = session.createSharedDurableConsumer(session.createTopic("news"), "second");
        try (MessageProducer producer = session.createProducer(session.createTopic("news"))) {
            producer.send(message(trace, "01"));
        }
        first.receive(RECEIVE_MS).acknowledge();
        second.receive(RECEIVE_MS).acknowledge();

        for (TracedStep.Kind kind : List.of(DELIVER, SETTLE)) {
            await().untilAsserted(() -> assertThat(STEPS.of(trace))
                    .filteredOn(step -> step.kind() == kind)
                    .extracting(TracedStep::subscription)
                    .containsExactlyInAnyOrder("first", "second"));
        }
        assertThat(STEPS.only(trace, COMMIT).subscription()).isEmpty();
    }

    @Test
    void knowsTheTraceOfAMessageThatComesBackFromTheStore() throws JMSException {
        String trace = "e".repeat(32);
        send("kept", trace, "01");
        connection.close();
        broker.close();
        startBroker();
        connect();

        receive("kept").acknowledge();

        await().untilAsserted(() -> assertThat(STEPS.of(trace))
                .extracting(TracedStep::kind)
                .containsExactlyInAnyOrder(PUBLISH, COMMIT, DELIVER, SETTLE));
    }

    @Test
    void saysThatAConsumerLeftWithoutAnOutcome() throws JMSException {
        String trace = "f".repeat(32);
        send("left", trace, "01");
        receive("left");
        connection.close();

        await().untilAsserted(() -> assertThat(STEPS.of(trace))
                .filteredOn(step -> step.kind() == DELIVER)
                .hasSize(1));
        assertThat(STEPS.only(trace, DELIVER).outcome()).isIn(null, "modified", "released");
        assertThat(STEPS.of(trace)).noneMatch(step -> step.kind() == SETTLE);
    }

    @Test
    void followsAMessageToTheDeadLetterQueue() throws JMSException {
        String trace = "2".repeat(32);
        send("dead", trace, "01");
        Message received = receive("dead");
        received.setIntProperty("JMS_AMQP_ACK_TYPE", REJECTED);
        received.acknowledge();
        receive("DLQ").acknowledge();

        await().untilAsserted(() -> assertThat(STEPS.of(trace))
                .extracting(step -> step.kind() + " " + step.address())
                .containsExactlyInAnyOrder(
                        "PUBLISH dead",
                        "COMMIT dead",
                        "DELIVER dead",
                        "SETTLE dead",
                        "COMMIT DLQ",
                        "DELIVER DLQ",
                        "SETTLE DLQ"));
        assertThat(STEPS.of(trace)).extracting(TracedStep::outcome).contains("rejected", "accepted");
    }

    @Test
    void saysWhyAMessageIsRefused() throws JMSException {
        String trace = "1".repeat(32);
        try (MessageProducer producer = session.createProducer(null)) {
            for (int i = 0; i < 10; i++) {
                producer.send(session.createQueue("full"), session.createTextMessage("takes a place"));
            }
            assertThatThrownBy(() -> producer.send(session.createQueue("full"), message(trace, "01")))
                    .hasMessageContaining("RT-4051");
        }

        await().untilAsserted(() -> assertThat(STEPS.of(trace)).hasSize(1));
        assertThat(STEPS.only(trace, PUBLISH).error()).isEqualTo("amqp:resource-limit-exceeded");
    }

    @Test
    void needsSomebodyWhoHearsOfIt() {
        assertThatThrownBy(() -> RingtableBroker.of(
                        Map.of("ringtable.tracing.enabled", true), CommitMonitor.NONE, UnaryOperator.identity()))
                .hasMessageContaining("RT-1172");
    }

    private void send(String queue, String trace, String flags) throws JMSException {
        try (MessageProducer producer = session.createProducer(session.createQueue(queue))) {
            producer.send(message(trace, flags));
        }
    }

    private Message message(String trace, String flags) throws JMSException {
        Message message = session.createTextMessage("hello");
        message.setStringProperty("traceparent", traceparent(trace, flags));
        return message;
    }

    private static String traceparent(String trace, String flags) {
        return "00-" + trace + "-" + SPAN + "-" + flags;
    }

    private Message receive(String queue) throws JMSException {
        try (MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
            Message received = consumer.receive(RECEIVE_MS);
            assertThat(received).as(queue).isNotNull();
            return received;
        }
    }
}
