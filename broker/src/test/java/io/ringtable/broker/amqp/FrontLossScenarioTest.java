package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestCertificate;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients of a front hear when the owner cannot be reached, and go on when it has come back. */
@Timeout(180)
class FrontLossScenarioTest {
    private static final int MESSAGES = 400;
    private static final int BEFORE = 100;
    private static final long WAIT_MS = 60_000;
    private static final String QUEUE = "q.kept";

    @TempDir
    private Path directory;

    private PostgresqlTestDatabase database;
    private TwoNodes nodes; // null before a test has started them

    @BeforeEach
    void makeDatabase() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
    }

    @AfterEach
    void stop() throws Exception {
        if (nodes != null) {
            nodes.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private void start(Object... more) {
        nodes = new TwoNodes(
                directory,
                database.settings(),
                TwoNodes.settings().with("ringtable.queues", QUEUE).with(more).authenticator(RelayScenario.USERS));
        nodes.awaitKnown(QUEUE);
    }

    @Test
    void whenTheOwnerComesBackClientsGoOnAndNothingAcceptedIsLost() throws Exception {
        start();
        JmsConnectionFactory factory = new JmsConnectionFactory(
                "ann",
                "of ann",
                "failover:(amqp://127.0.0.1:" + nodes.front.port()
                        + ")?failover.reconnectDelay=100&failover.maxReconnectDelay=500");
        CountDownLatch begun = new CountDownLatch(BEFORE);
        CompletableFuture<Void> published = CompletableFuture.runAsync(() -> publish(factory, begun));
        assertThat(begun.await(WAIT_MS, TimeUnit.MILLISECONDS)).isTrue();

        nodes.owner.close();
        nodes.startOwner();

        published.get(WAIT_MS, TimeUnit.MILLISECONDS);
        Set<String> received = new TreeSet<>();
        try (Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(session.createQueue(QUEUE));
            while (received.size() < MESSAGES) {
                received.add(((TextMessage) consumer.receive(WAIT_MS)).getText());
            }
        }
        assertThat(received).hasSize(MESSAGES);
    }

    @Test
    void aClientThatKnowsOneNodeGoesOnAtAnotherOneWhenItIsGone() throws Exception {
        start();
        JmsConnectionFactory factory =
                new JmsConnectionFactory("ann", "of ann", "failover:(amqp://127.0.0.1:" + nodes.front.port() + ")");
        try (Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(QUEUE);
            MessageProducer producer = session.createProducer(queue);
            producer.send(session.createTextMessage("at the first"));

            nodes.front.close();

            producer.send(session.createTextMessage("at the other"));
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("at the first");
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("at the other");
        }
    }

    @Test
    void aClientThatOwesNothingKeepsItsConnectionWhileTheOwnerRestarts() throws Exception {
        start("ringtable.lease", "20s"); // a client waits for two of them
        try (Connection connection = nodes.front.jms("ann", "of ann").createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(QUEUE);
            MessageProducer producer = session.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);

            nodes.owner.close();
            nodes.startOwner();

            producer.send(session.createTextMessage("at the next"));
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("at the next");
        }
    }

    private static void publish(JmsConnectionFactory factory, CountDownLatch begun) {
        try (Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(QUEUE);
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < MESSAGES; i++) {
                producer.send(session.createTextMessage("m" + i));
                begun.countDown();
            }
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void withoutAPasswordOfNodesTheLinkIsRefusedAndSaysWhatToSet() throws Exception {
        start("ringtable.cluster.password", null);

        assertRefused("RT-4569 shard 0 of node");
    }

    @Test
    void withAWrongPasswordTheLinkIsRefusedAndNamesBothNodes() throws Exception {
        start("ringtable.cluster.password", "of somebody else");

        assertRefused("RT-4565 node");
    }

    @Test
    void nodesLogInByTheirCertificates() throws Exception {
        TestCertificate ofNodes = TestCertificate.make(directory, "node", "CN=" + FrontPeer.NODE_USER, "ip:127.0.0.1");
        nodes = new TwoNodes(
                directory,
                database.settings(),
                TwoNodes.settings()
                        .with(
                                "ringtable.queues",
                                QUEUE,
                                "ringtable.cluster.password",
                                null,
                                "ringtable.amqp.tls.certificate",
                                ofNodes.certificate(),
                                "ringtable.amqp.tls.private-key",
                                ofNodes.privateKey(),
                                "ringtable.amqp.tls.trust-certificates",
                                ofNodes.certificate(),
                                "ringtable.amqp.tls.client-auth",
                                "want",
                                "ringtable.security.users[0].name",
                                FrontPeer.NODE_USER,
                                "ringtable.security.users[0].password",
                                "{external}",
                                "ringtable.security.users[1].name",
                                "ann",
                                "ringtable.security.users[1].password",
                                "{noop}of ann"));
        nodes.awaitKnown(QUEUE);
        JmsConnectionFactory factory = new JmsConnectionFactory(
                "ann",
                "of ann",
                "amqps://127.0.0.1:" + nodes.front.port() + "?transport.trustAll=true&transport.verifyHost=false");
        try (Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(QUEUE);
            session.createProducer(queue).send(session.createTextMessage("psst"));
            assertThat(((TextMessage) session.createConsumer(queue).receive(WAIT_MS)).getText())
                    .isEqualTo("psst");
        }
    }

    private void assertRefused(String why) throws Exception {
        try (Connection connection = nodes.front.jms("ann", "of ann").createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            assertThatThrownBy(() -> session.createProducer(session.createQueue(QUEUE)))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining(why);
            session.createProducer(session.createQueue("here")).send(session.createTextMessage("goes on"));
        }
    }
}
