package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two users publish to one queue with the same duplicate ids: neither makes a message of the other disappear. */
@Timeout(120)
class DuplicateOwnerScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final String NOBODY = "";
    private static final String END = "the end";

    @TempDir
    private Path directory;

    private TestBroker withUsers() {
        return TestBroker.start(
                directory,
                TestSettings.of(
                        "ringtable.security.users[0].name", "shop",
                        "ringtable.security.users[0].password", "{noop}shop",
                        "ringtable.security.users[1].name", "loader",
                        "ringtable.security.users[1].password", "{noop}loader"));
    }

    private static Connection connect(TestBroker broker, String user) throws JMSException {
        String url = "amqp://127.0.0.1:" + broker.port();
        Connection connection = user.equals(NOBODY)
                ? new JmsConnectionFactory(url).createConnection()
                : new JmsConnectionFactory(user, user, url).createConnection();
        connection.start();
        return connection;
    }

    /** Sends by a producer of the queue, by one without a target, and in a transaction, each with an id of its own. */
    private static void sendEachWay(TestBroker broker, String user, String id) throws JMSException {
        try (Connection connection = connect(broker, user)) {
            Session plain = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
            Queue orders = plain.createQueue("orders");
            try (MessageProducer ofQueue = plain.createProducer(orders);
                    MessageProducer ofNone = plain.createProducer(null);
                    MessageProducer ofTransaction = transacted.createProducer(orders)) {
                ofQueue.send(message(plain, user, id + "-queue"));
                ofNone.send(orders, message(plain, user, id + "-none"));
                ofTransaction.send(message(transacted, user, id + "-transaction"));
                transacted.commit();
            }
        }
    }

    private static Message message(Session session, String user, String id) throws JMSException {
        Message message = session.createTextMessage(user + " " + id);
        message.setStringProperty("_AMQ_DUPL_ID", id);
        return message;
    }

    private static List<String> received(TestBroker broker, String user) throws JMSException {
        List<String> texts = new ArrayList<>();
        try (Connection connection = connect(broker, user)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue orders = session.createQueue("orders");
            session.createProducer(orders).send(session.createTextMessage(END));
            MessageConsumer consumer = session.createConsumer(orders);
            for (TextMessage next;
                    !(next = (TextMessage) consumer.receive(WAIT_MS)).getText().equals(END); ) {
                texts.add(next.getText());
            }
        }
        await().until(() -> Quotas.held(broker, "orders") == 0); // else they come again after a restart
        return texts;
    }

    @Test
    void eachMessageOfEachUserIsStoredOnceAlsoAfterARestart() throws Exception {
        try (TestBroker broker = withUsers()) {
            sendEachWay(broker, "loader", "4711");
            sendEachWay(broker, "shop", "4711");
            sendEachWay(broker, "shop", "4711");
            assertThat(received(broker, "shop"))
                    .containsExactly(
                            "loader 4711-queue",
                            "loader 4711-none",
                            "loader 4711-transaction",
                            "shop 4711-queue",
                            "shop 4711-none",
                            "shop 4711-transaction");
        }
        try (TestBroker broker = withUsers()) {
            sendEachWay(broker, "loader", "4711");
            sendEachWay(broker, "shop", "4711");
            assertThat(received(broker, "shop")).isEmpty();
        }
    }

    @Test
    void idsOfATimeWithoutUsersCountForEveryUser() throws Exception {
        try (TestBroker broker = TestBroker.start(directory)) {
            sendEachWay(broker, NOBODY, "4711");
            assertThat(received(broker, NOBODY)).hasSize(3);
        }
        try (TestBroker broker = withUsers()) {
            sendEachWay(broker, "shop", "4711");
            sendEachWay(broker, "shop", "4712");
            assertThat(received(broker, "shop"))
                    .containsExactly("shop 4712-queue", "shop 4712-none", "shop 4712-transaction");
        }
    }
}
