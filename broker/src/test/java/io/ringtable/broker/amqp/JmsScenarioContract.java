package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.login.Authenticator;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.jdbc.StoreSettings;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.JMSSecurityRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Qpid JMS, unchanged, against a real broker; the same on every engine. */
@Timeout(120)
abstract class JmsScenarioContract {
    private static final long WAIT_MS = 60_000;

    private TestDatabase database;

    /** A fresh, empty database. */
    abstract TestDatabase database() throws Exception;

    /** Returns the settings of the broker. */
    TestSettings settings() {
        return TestSettings.of();
    }

    private TestBroker start(StoreSettings store) {
        return start(store, settings());
    }

    /** Starts the broker whose clients the tests are. */
    TestBroker start(StoreSettings store, TestSettings settings) {
        return TestBroker.start(store, settings);
    }

    @BeforeEach
    void open() throws Exception {
        try {
            database = database();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
    }

    @AfterEach
    void remove() throws Exception {
        if (database != null) {
            database.close();
        }
    }

    @Test
    void aQueueGivesEveryMessageOnceAndInOrder() throws Exception {
        try (TestBroker broker = start(database.settings());
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("orders");
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < 100; i++) {
                producer.send(session.createTextMessage("order " + i));
            }
            MessageConsumer consumer = session.createConsumer(queue);
            for (int i = 0; i < 100; i++) {
                TextMessage message = (TextMessage) consumer.receive(WAIT_MS);
                assertThat(message.getText()).isEqualTo("order " + i);
                assertThat(message.getJMSRedelivered()).isFalse();
                assertThat(message.getIntProperty("JMSXDeliveryCount")).isEqualTo(1);
            }
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }

    @Test
    void twoConsumersOfAQueueShareItsMessages() throws Exception {
        try (TestBroker broker = start(database.settings());
                Connection connection = broker.jms("jms.prefetchPolicy.all=10").createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("shared");
            MessageConsumer first = session.createConsumer(queue);
            MessageConsumer second = session.createConsumer(queue);
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < 10; i++) {
                producer.send(session.createTextMessage(Integer.toString(i)));
            }
            List<String> fromFirst = texts(first);
            List<String> fromSecond = texts(second);
            Awaitility.await().until(() -> fromFirst.size() + fromSecond.size() == 10);
            assertThat(fromFirst).isNotEmpty();
            assertThat(fromSecond).isNotEmpty();
            assertThat(Stream.concat(fromFirst.stream(), fromSecond.stream()))
                    .containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
        }
    }

    @Test
    void aDurableSubscriptionKeepsWhatIsPublishedWhileItsClientIsAway() throws Exception {
        try (TestBroker broker = start(database.settings())) {
            try (JMSContext context = client(broker, "desk-1")) {
                context.createDurableConsumer(context.createTopic("prices"), "board")
                        .close();
            }
            try (JMSContext publisher = broker.jms().createContext()) {
                publisher.createProducer().send(publisher.createTopic("prices"), "one");
                publisher.createProducer().send(publisher.createTopic("prices"), "two");
            }
            try (JMSContext context = client(broker, "desk-1")) {
                JMSConsumer consumer = context.createDurableConsumer(context.createTopic("prices"), "board");
                assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("one");
                assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("two");
                assertThat(consumer.receiveNoWait()).isNull();
                consumer.close();
                context.unsubscribe("board");
                assertThat(broker.shard().lookup().find("desk-1", "board")).isNull();
            }
        }
    }

    @Test
    void unsubscribingAnUnknownNameIsRefused() {
        try (TestBroker broker = start(database.settings());
                JMSContext context = client(broker, "desk-2")) {
            assertThatThrownBy(() -> context.unsubscribe("nobody"))
                    .isInstanceOf(jakarta.jms.InvalidDestinationRuntimeException.class);
        }
    }

    @Test
    void aNonDurableSubscriptionGetsWhatIsPublishedWhileItIsThere() {
        try (TestBroker broker = start(database.settings());
                JMSContext context = broker.jms().createContext()) {
            Topic topic = context.createTopic("news");
            context.createProducer().send(topic, "before");
            JMSConsumer first = context.createConsumer(topic);
            JMSConsumer second = context.createConsumer(topic);
            context.createProducer().send(topic, "during");
            assertThat(first.receiveBody(String.class, WAIT_MS)).isEqualTo("during");
            assertThat(second.receiveBody(String.class, WAIT_MS)).isEqualTo("during");
            assertThat(first.receiveNoWait()).isNull();
        }
    }

    @Test
    void theAnonymousRelayKeepsQueuesAndTopicsApart() {
        try (TestBroker broker = start(database.settings());
                JMSContext context = broker.jms().createContext()) {
            context.createProducer().send(context.createQueue("q"), "to a queue");
            context.createProducer().send(context.createTopic("t"), "to a topic");
            assertThat(broker.shard().lookup().find("q").isQueue()).isTrue();
            assertThat(broker.shard().lookup().find("t").isQueue()).isFalse();
            assertThat(context.createConsumer(context.createQueue("q")).receiveBody(String.class, WAIT_MS))
                    .isEqualTo("to a queue");
            assertThatThrownBy(() -> context.createProducer().send(context.createTopic("q"), "wrong kind"))
                    .isInstanceOf(jakarta.jms.JMSRuntimeException.class);
            context.createProducer().send(context.createQueue("q"), "and on");
        }
    }

    @Test
    void aWrongPasswordIsASecurityException() throws Exception {
        Authenticator users = (name, password) -> name.equals("ann") && password.equals("secret");
        try (TestBroker broker = start(database.settings(), settings().authenticator(users))) {
            JmsConnectionFactory factory = new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port());
            assertThatThrownBy(() -> factory.createConnection("ann", "wrong").start())
                    .isInstanceOf(JMSSecurityException.class);
            assertThatThrownBy(() -> factory.createConnection().start()).isInstanceOf(JMSSecurityException.class);
            try (Connection connection = factory.createConnection("ann", "secret")) {
                connection.start();
            }
            assertThat(broker.counters().loginsFailed.sum()).isPositive();
        }
    }

    @Test
    void aGlobalSubscriptionBelongsToItsUserAlsoAfterARestart() throws Exception {
        TestSettings settings = settings()
                .with(
                        "ringtable.security.rules[0].match", "#",
                        "ringtable.security.rules[0].users", "*",
                        "ringtable.security.rules[0].permissions", "receive,create");
        Authenticator users = (name, password) -> password.equals("of " + name);
        try (TestBroker broker = start(database.settings(), settings.authenticator(users));
                JMSContext ann = broker.jms().createContext("ann", "of ann")) {
            ann.createSharedDurableConsumer(ann.createTopic("prices"), "audit").close();
        }
        try (TestBroker broker = start(database.settings(), settings.authenticator(users));
                JMSContext ann = broker.jms().createContext("ann", "of ann");
                JMSContext bob = broker.jms().createContext("bob", "of bob")) {
            Topic topic = bob.createTopic("prices");
            assertThatThrownBy(() -> bob.createSharedDurableConsumer(topic, "audit"))
                    .isInstanceOf(JMSSecurityRuntimeException.class)
                    .hasMessageContaining("RT-4352 user 'bob'");
            ann.unsubscribe("audit");
            bob.createSharedDurableConsumer(topic, "audit").close();
        }
    }

    @Test
    void aSecondConnectionWithTheSameClientIdIsRefused() throws Exception {
        try (TestBroker broker = start(database.settings());
                JMSContext first = client(broker, "only-one")) {
            assertThat(first.getClientID()).isEqualTo("only-one");
            Connection second = broker.jms().createConnection();
            assertThatThrownBy(() -> {
                        second.setClientID("only-one");
                        second.start();
                    })
                    .isInstanceOf(jakarta.jms.InvalidClientIDException.class);
        }
    }

    @Test
    void bodiesOfEverySizeComeBackByteForByte() throws Exception {
        try (TestBroker broker = start(database.settings());
                Connection connection = broker.jms("amqp.maxFrameSize=16384").createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("large");
            MessageProducer producer = session.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);
            int[] sizes = {0, 1, 300, 16_384, 70_000, 300_000, 1 << 20, 5 << 20, 15 << 20};
            for (int size : sizes) {
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(pattern(size));
                producer.send(message);
            }
            for (int size : sizes) {
                BytesMessage message = (BytesMessage) consumer.receive(WAIT_MS);
                assertThat(message).as("%d bytes", size).isNotNull();
                assertThat(message.getBodyLength()).isEqualTo(size);
                byte[] body = new byte[size];
                message.readBytes(body);
                assertThat(Arrays.equals(body, pattern(size)))
                        .as("%d bytes", size)
                        .isTrue();
            }
        }
    }

    private static byte[] pattern(int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (i * 31 + (i >> 8));
        }
        return bytes;
    }

    @Test
    void anOversizeMessageIsRefusedAndTheConnectionLivesOn() throws Exception {
        try (TestBroker broker =
                        start(database.settings(), settings().with("ringtable.amqp.max-message-size", 100_000));
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("small-only");
            MessageProducer producer = session.createProducer(queue);
            BytesMessage large = session.createBytesMessage();
            large.writeBytes(new byte[1_000_000]);
            assertThatThrownBy(() -> producer.send(large))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("amqp:link:message-size-exceeded")
                    .hasMessageContaining("RT-4044");
            producer.send(session.createTextMessage("fits"));
            assertThat(((TextMessage) session.createConsumer(queue).receive(WAIT_MS)).getText())
                    .isEqualTo("fits");
        }
    }

    @Test
    void whatIsNotAcknowledgedComesAgainFlaggedAfterARecover() throws Exception {
        try (TestBroker broker = start(database.settings());
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
            Queue queue = session.createQueue("again");
            session.createProducer(queue).send(session.createTextMessage("once more"));
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(consumer.receive(WAIT_MS).getJMSRedelivered()).isFalse();
            session.recover();
            Message again = consumer.receive(WAIT_MS);
            assertThat(again.getJMSRedelivered()).isTrue();
            assertThat(again.getIntProperty("JMSXDeliveryCount")).isEqualTo(2);
            again.acknowledge();
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }

    @Test
    void prefetchedMessagesGoBackInOrderAndUncounted() throws Exception {
        try (TestBroker broker = start(database.settings());
                Connection connection = broker.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("prefetched");
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < 20; i++) {
                producer.send(session.createTextMessage(Integer.toString(i)));
            }
            MessageConsumer first = session.createConsumer(queue);
            assertThat(((TextMessage) first.receive(WAIT_MS)).getText()).isEqualTo("0");
            first.close();
            MessageConsumer second = session.createConsumer(queue);
            for (int i = 1; i < 20; i++) {
                TextMessage message = (TextMessage) second.receive(WAIT_MS);
                assertThat(message.getText()).isEqualTo(Integer.toString(i));
                assertThat(message.getJMSRedelivered()).isFalse();
            }
        }
    }

    @Test
    void aNonPersistentMessageIsDeliveredToo() throws InvalidDestinationException {
        try (TestBroker broker = start(database.settings());
                JMSContext context = broker.jms().createContext()) {
            Queue queue = context.createQueue("volatile");
            context.createProducer()
                    .setDeliveryMode(DeliveryMode.NON_PERSISTENT)
                    .send(queue, "quick");
            assertThat(context.createConsumer(queue).receiveBody(String.class, WAIT_MS))
                    .isEqualTo("quick");
        }
    }

    /** Returns the texts in the order of arrival. */
    private static List<String> texts(MessageConsumer consumer) throws JMSException {
        List<String> texts = new CopyOnWriteArrayList<>();
        consumer.setMessageListener(message -> {
            try {
                texts.add(message.getBody(String.class));
            } catch (JMSException e) {
                throw new IllegalStateException(e);
            }
        });
        return texts;
    }

    private static JMSContext client(TestBroker broker, String clientId) {
        JMSContext context = broker.jms().createContext();
        context.setClientID(clientId);
        return context;
    }
}
