package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.login.Authenticator;
import jakarta.jms.Connection;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.file.Path;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.hamcrest.CoreMatchers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client id, and what hangs on it, belongs to the user who first used it. */
class ClientOwnerScenarioTest {
    private static final String CLIENT = "desk";
    private static final int WAIT_MS = 60_000;
    private static final Authenticator USERS = (name, password) -> password.equals("of " + name);

    @TempDir
    private Path directory;

    private TestBroker withUsers() {
        return TestBroker.start(directory, TestSettings.of().authenticator(USERS));
    }

    private static Connection connect(TestBroker broker, String user) throws Exception {
        JmsConnectionFactory factory = new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port());
        Connection connection =
                user.isEmpty() ? factory.createConnection() : factory.createConnection(user, "of " + user);
        try {
            connection.setClientID(CLIENT);
            connection.start();
            return connection;
        } catch (Exception e) {
            connection.close();
            throw e;
        }
    }

    private static void subscribeAndSend(TestBroker broker, String user, String text) throws Exception {
        try (Connection connection = connect(broker, user)) {
            Session session = connection.createSession();
            Topic topic = session.createTopic("prices");
            session.createDurableConsumer(topic, "audit").close();
            session.createProducer(topic).send(session.createTextMessage(text));
        }
    }

    private static String receive(TestBroker broker, String user) throws Exception {
        try (Connection connection = connect(broker, user)) {
            Session session = connection.createSession();
            try (MessageConsumer consumer = session.createDurableConsumer(session.createTopic("prices"), "audit")) {
                return ((TextMessage) consumer.receive(WAIT_MS)).getText();
            }
        }
    }

    private static void unsubscribe(TestBroker broker, String user) throws Exception {
        try (Connection connection = connect(broker, user)) {
            connection.createSession().unsubscribe("audit");
        }
    }

    private static void isRefused(TestBroker broker, String user) {
        assertThatThrownBy(() -> connect(broker, user).close())
                .isInstanceOf(InvalidClientIDException.class)
                .hasMessageContaining("RT-4332 container id 'desk' belongs to another user");
    }

    @Test
    void anotherUserCannotTakeADurableSubscriptionByItsClientIdAlsoAfterARestart() throws Exception {
        try (TestBroker broker = withUsers()) {
            subscribeAndSend(broker, "ann", "for ann");
            isRefused(broker, "bob");
        }
        try (TestBroker broker = withUsers()) {
            isRefused(broker, "bob");
            assertThat(receive(broker, "ann")).isEqualTo("for ann");
        }
    }

    @Test
    void aSubscriptionOfBeforeThereWereUsersBelongsToTheFirstWhoUsesIt() throws Exception {
        try (TestBroker broker = TestBroker.start(directory)) {
            subscribeAndSend(broker, "", "for whoever comes first");
        }
        try (TestBroker broker = withUsers()) {
            assertThat(receive(broker, "ann")).isEqualTo("for whoever comes first");
        }
        try (TestBroker broker = withUsers()) {
            isRefused(broker, "bob");
        }
    }

    @Test
    void aClientIdIsFreeWhenItsLastDurableSubscriptionIsGone() throws Exception {
        try (TestBroker broker = withUsers()) {
            subscribeAndSend(broker, "ann", "for ann");
            unsubscribe(broker, "ann");
            subscribeAndSend(broker, "bob", "for bob");
            isRefused(broker, "ann");
            assertThat(receive(broker, "bob")).isEqualTo("for bob");
        }
    }

    @Test
    void withoutUsersEverybodyIsTheSame() throws Exception {
        try (TestBroker broker = withUsers()) {
            subscribeAndSend(broker, "ann", "for ann");
        }
        try (TestBroker broker = TestBroker.start(directory)) {
            assertThat(receive(broker, "")).isEqualTo("for ann");
        }
    }

    /** Stealing the link that made a temporary queue ends the queue: it lives as long as its link. */
    @Test
    void anotherUserCannotJoinUnderAClientIdThatIsConnectedAndStealItsLinks() throws Exception {
        try (TestBroker broker = withUsers();
                Connection ann = connect(broker, "ann")) {
            Session session = ann.createSession();
            TemporaryQueue queue = session.createTemporaryQueue();
            session.createProducer(queue).send(session.createTextMessage("for ann"));

            ProtonTestClient bob = new ProtonTestClient();
            bob.queueClientSaslPlainConnect("bob", "of bob");
            bob.remoteOpen().withContainerId(CLIENT).queue();
            bob.expectOpen()
                    .withOfferedCapabilities(CoreMatchers.anything())
                    .withProperty("amqp:connection-establishment-failed", true);
            bob.expectClose().withError(CoreMatchers.notNullValue());
            bob.connect("127.0.0.1", broker.port());
            FramePeer.done(bob);
            bob.close();

            assertThat(((TextMessage) session.createConsumer(queue).receive(WAIT_MS)).getText())
                    .isEqualTo("for ann");
        }
    }
}
