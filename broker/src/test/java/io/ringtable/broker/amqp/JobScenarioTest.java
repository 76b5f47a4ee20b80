package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.job.Job;
import io.ringtable.broker.job.JobRequest;
import io.ringtable.broker.job.JobRequest.Action;
import io.ringtable.broker.job.LetterSurvey;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Dead letters go back to where they came from, as JMS clients see it. Each test has addresses of its own. */
@Timeout(120)
class JobScenarioTest {
    private static final int WAIT_MS = 60_000;
    private static final int REJECTED = 2; // JMS_AMQP_ACK_TYPE
    private static final int INDIVIDUALLY = 101; // the client's own mode: acknowledges one message

    @TempDir
    private static Path directory;

    private static TestBroker broker;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of(
                        "ringtable.dispatch.addresses[0].match", "alpha.#",
                        "ringtable.dispatch.addresses[0].dead-letter-queue", "alpha-dead",
                        "ringtable.dispatch.addresses[1].match", "beta.#",
                        "ringtable.dispatch.addresses[1].dead-letter-queue", "beta-dead",
                        "ringtable.dispatch.addresses[2].match", "gamma.#",
                        "ringtable.dispatch.addresses[2].dead-letter-queue", "gamma-dead"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static JobRequest redrive(String from, String selector) {
        return new JobRequest(Action.REDRIVE, from, 0, null, selector, null, null, null, null, 0, 0, false, "");
    }

    private static Job run(JobRequest request) {
        long id = broker.jobs().begin(request).toCompletableFuture().join().id();
        Awaitility.await().until(() -> !broker.jobs().find(id).isRunning());
        return broker.jobs().find(id);
    }

    private static void reject(MessageConsumer consumer, int count) throws JMSException {
        for (int i = 0; i < count; i++) {
            Message message = consumer.receive(WAIT_MS);
            message.setIntProperty("JMS_AMQP_ACK_TYPE", REJECTED);
            message.acknowledge();
        }
    }

    private static void awaitHeld(String address, long messages) {
        Awaitility.await().until(() -> Quotas.held(broker, address) == messages);
    }

    /** Until so many letters are there for everybody; their places are taken earlier. */
    private static void awaitLetters(String queue, long letters) {
        Awaitility.await().until(() -> survey(queue).letters() == letters);
    }

    private static LetterSurvey.Found survey(String queue) {
        return broker.jobs().survey(queue, 100, false).toCompletableFuture().join();
    }

    @Test
    void aMessageOfAQueueComesBackWithAllThatItsPublisherGaveIt() throws Exception {
        byte[] large = new byte[200_000]; // beyond a slot, so in overflow
        new Random(7).nextBytes(large);
        List<String> ids = new ArrayList<>();
        try (Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, INDIVIDUALLY);
            Destination queue = session.createQueue("alpha.orders");
            try (JMSContext context = broker.jms().createContext()) {
                JMSProducer producer = context.createProducer()
                        .setPriority(7)
                        .setProperty("JMSXGroupID", "g")
                        .setProperty("kind", "large");
                BytesMessage first = context.createBytesMessage();
                first.writeBytes(large);
                producer.send(queue, first);
                ids.add(first.getJMSMessageID());
                TextMessage second = context.createTextMessage("small");
                producer.setProperty("kind", "small").send(queue, second);
                ids.add(second.getJMSMessageID());
            }
            try (MessageConsumer consumer = session.createConsumer(queue)) {
                reject(consumer, 1);
                awaitLetters("alpha-dead", 1);
                reject(consumer, 1);
                awaitLetters("alpha-dead", 2);
            }
            Job job = run(redrive("alpha-dead", null));
            assertThat(job.state()).as(job.toString()).isEqualTo(Job.State.DONE);
            assertThat(job.done()).isEqualTo(2);
            try (MessageConsumer consumer = session.createConsumer(queue)) {
                BytesMessage first = (BytesMessage) consumer.receive(WAIT_MS);
                byte[] body = new byte[(int) first.getBodyLength()];
                first.readBytes(body);
                assertThat(body).isEqualTo(large);
                assertIsAsItCame(first, ids.get(0), "large");
                first.acknowledge();
                TextMessage second = (TextMessage) consumer.receive(WAIT_MS);
                assertThat(second.getText()).isEqualTo("small");
                assertIsAsItCame(second, ids.get(1), "small");
                second.acknowledge();
            }
            awaitHeld("alpha.orders", 0);
            assertThat(Quotas.held(broker, "alpha-dead")).isZero();
        }
    }

    private static void assertIsAsItCame(Message message, String id, String kind) throws JMSException {
        assertThat(message.getJMSMessageID()).isEqualTo(id);
        assertThat(message.getJMSPriority()).isEqualTo(7);
        assertThat(message.getStringProperty("JMSXGroupID")).isEqualTo("g");
        assertThat(message.getStringProperty("kind")).isEqualTo(kind);
        assertThat(message.getJMSRedelivered()).isFalse();
    }

    @Test
    void onlyTheSubscriberThatRejectedAMessageGetsItAgain() throws Exception {
        try (Connection one = client("one");
                Connection two = client("two")) {
            Session ofOne = one.createSession(false, INDIVIDUALLY);
            Session ofTwo = two.createSession(false, INDIVIDUALLY);
            Topic topic = ofOne.createTopic("beta.prices");
            MessageConsumer first = ofOne.createDurableConsumer(topic, "reader");
            MessageConsumer second = ofTwo.createDurableConsumer(topic, "reader");
            MessageConsumer third = ofTwo.createConsumer(topic); // not durable
            try (JMSContext context = broker.jms().createContext()) {
                context.createProducer().send(topic, "price");
            }
            reject(first, 1);
            second.receive(WAIT_MS).acknowledge();
            third.receive(WAIT_MS).acknowledge();
            awaitLetters("beta-dead", 1);
            assertThat(survey("beta-dead").groups()).singleElement().satisfies(group -> {
                assertThat(group.origin()).isEqualTo("beta.prices");
                assertThat(group.reason()).contains("rejected");
                assertThat(group.count()).isEqualTo(1);
            });
            Job job = run(redrive("beta-dead", null));
            assertThat(job.done()).as(job.toString()).isEqualTo(1);
            Message again = first.receive(WAIT_MS);
            assertThat(again.getBody(String.class)).isEqualTo("price");
            again.acknowledge();
            try (JMSContext context = broker.jms().createContext()) {
                context.createProducer().send(topic, "behind it");
            }
            assertThat(second.receive(WAIT_MS).getBody(String.class)).isEqualTo("behind it");
            assertThat(third.receive(WAIT_MS).getBody(String.class)).isEqualTo("behind it");
        }
    }

    private static Connection client(String id) throws JMSException {
        Connection connection = broker.jms().createConnection();
        connection.setClientID(id);
        connection.start();
        return connection;
    }

    @Test
    void aSelectorAndAReasonChooseWhatComesBack() throws Exception {
        try (Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, INDIVIDUALLY);
            Destination queue = session.createQueue("gamma.orders");
            try (JMSContext context = broker.jms().createContext()) {
                for (int i = 0; i < 10; i++) {
                    context.createProducer().setProperty("number", i).send(queue, "order " + i);
                }
            }
            try (MessageConsumer consumer = session.createConsumer(queue)) {
                reject(consumer, 10);
            }
            awaitLetters("gamma-dead", 10);
            assertThat(run(redrive("gamma-dead", "number > 6")).done()).isEqualTo(3);
            assertThat(run(reason("nothing of the kind")).done()).isZero();
            assertThat(run(reason("rejected by*")).done()).isEqualTo(7);
            awaitHeld("gamma.orders", 10);
            try (MessageConsumer consumer = session.createConsumer(queue)) {
                for (int number : new int[] {7, 8, 9, 0, 1, 2, 3, 4, 5, 6}) {
                    assertThat(consumer.receive(WAIT_MS).getIntProperty("number"))
                            .isEqualTo(number);
                }
            }
        }
    }

    private static JobRequest reason(String reason) {
        return new JobRequest(Action.REDRIVE, "gamma-dead", 0, null, null, reason, null, null, null, 0, 0, false, "");
    }

    @Test
    void aJobGoesOnAfterARestartAndMovesEachMessageOnce(@TempDir Path own) throws Exception {
        int letters = 30;
        long id;
        try (TestBroker first = TestBroker.start(own)) {
            try (JMSContext context = first.jms().createContext()) {
                for (int i = 0; i < letters; i++) {
                    context.createProducer().send(context.createQueue("from"), Integer.toString(i));
                }
                context.createConsumer(context.createQueue("to")).close();
            }
            Instant until = Instant.now().plusSeconds(3_600); // what a job wants is read again after the restart
            JobRequest slowly = new JobRequest(
                    Action.MOVE, "from", 0, "to", null, null, null, Instant.EPOCH, until, 20, 0, false, "");
            id = first.jobs().begin(slowly).toCompletableFuture().join().id();
            Awaitility.await().until(() -> first.jobs().find(id).done() >= 3);
        }
        try (TestBroker second = TestBroker.start(own)) {
            assertThat(second.jobs().find(id).done()).isBetween(3L, letters - 1L);
            Awaitility.await().until(() -> !second.jobs().find(id).isRunning());
            Job job = second.jobs().find(id);
            assertThat(job.state()).isEqualTo(Job.State.DONE);
            assertThat(job.resumed()).isTrue();
            assertThat(job.done()).isEqualTo(letters);
            assertThat(job.request().rate()).isEqualTo(20);
            assertThat(job.request().since()).isEqualTo(Instant.EPOCH);
            assertThat(job.request().until()).isAfter(job.startedAt());
            try (JMSContext context = second.jms().createContext()) {
                JMSConsumer consumer = context.createConsumer(context.createQueue("to"));
                for (int i = 0; i < letters; i++) {
                    assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo(Integer.toString(i));
                }
                Awaitility.await().until(() -> Quotas.held(second, "to") == 0);
            }
        }
    }
}
