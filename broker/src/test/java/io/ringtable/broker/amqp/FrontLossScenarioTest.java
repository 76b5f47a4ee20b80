package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestCertificate;
import io.ringtable.broker.TestSettings;
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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
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
    private static final String OTHER = "q.other";
    private static final String IDLE = "q.idle";

    @AutoClose
    static TwoNodes nodes;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TwoNodes(TestCluster.withUsers(TwoNodes.settings())
                .with("ringtable.shards", 3, "ringtable.queues", QUEUE + "," + OTHER + "," + IDLE));
        nodes.awaitKnown(IDLE);
    }

    @Test
    void whenTheOwnerComesBackClientsGoOnAndNothingAcceptedIsLost() throws Exception {
        JmsConnectionFactory factory = new JmsConnectionFactory(
                "ann",
                "of ann",
                "failover:(amqp://127.0.0.1:" + nodes.front.port()
                        + ")?failover.reconnectDelay=100&failover.maxReconnectDelay=500");
        CountDownLatch begun = new CountDownLatch(BEFORE);
        CompletableFuture<Void> published = CompletableFuture.runAsync(() -> publish(factory, begun));
        assertThat(begun.await(WAIT_MS, TimeUnit.MILLISECONDS)).isTrue();

        nodes.stop("owner");
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
        JmsConnectionFactory factory =
                new JmsConnectionFactory("ann", "of ann", "failover:(amqp://127.0.0.1:" + nodes.front.port() + ")");
        try (Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(OTHER);
            MessageProducer producer = session.createProducer(queue);
            producer.send(session.createTextMessage("at the first"));

            nodes.stop("front");

            producer.send(session.createTextMessage("at the other"));
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("at the first");
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("at the other");
        } finally {
            nodes.startFront();
            nodes.awaitKnown(OTHER);
        }
    }

    @Test
    void aClientThatOwesNothingKeepsItsConnectionWhileTheOwnerRestarts() throws Exception {
        try (Connection connection = TestCluster.connect(nodes.front)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(IDLE);
            MessageProducer producer = session.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);

            nodes.stop("owner");
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
        assertRefused(null, "RT-4569 shard 0 of node");
    }

    @Test
    void withAWrongPasswordTheLinkIsRefusedAndNamesBothNodes() throws Exception {
        assertRefused("of somebody else", "RT-4565 node");
    }

    /** Has a third node carry a client, with the password that it has for others. */
    private static void assertRefused(String password, String why) throws Exception {
        TestBroker third = nodes.start("third", "2", "ringtable.queues", null, "ringtable.cluster.password", password);
        third.awaitOwned(2);
        nodes.awaitKnown(QUEUE);
        try (Connection connection = TestCluster.connect(third)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            assertThatThrownBy(() -> session.createProducer(session.createQueue(QUEUE)))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining(why);
            session.createProducer(session.createQueue("here")).send(session.createTextMessage("goes on"));
        } finally {
            nodes.stop("third");
        }
    }

    @Test
    void nodesLogInByTheirCertificates(@TempDir Path directory) throws Exception {
        TestCertificate ofNodes = TestCertificate.make(directory, "node", "CN=" + FrontPeer.NODE_USER, "ip:127.0.0.1");
        TestSettings settings = TwoNodes.settings()
                .with("ringtable.queues", QUEUE, "ringtable.cluster.password", null)
                .with(
                        "ringtable.amqp.tls.certificate", ofNodes.certificate(),
                        "ringtable.amqp.tls.private-key", ofNodes.privateKey(),
                        "ringtable.amqp.tls.trust-certificates", ofNodes.certificate(),
                        "ringtable.amqp.tls.client-auth", "want")
                .with(
                        "ringtable.security.users[0].name", FrontPeer.NODE_USER,
                        "ringtable.security.users[0].password", "{external}",
                        "ringtable.security.users[1].name", "ann",
                        "ringtable.security.users[1].password", "{noop}of ann");
        try (TwoNodes secure = new TwoNodes(settings)) {
            secure.awaitKnown(QUEUE);
            publishAndReceive(secure.front.port());
        }
    }

    private static void publishAndReceive(int port) throws Exception {
        JmsConnectionFactory factory = new JmsConnectionFactory(
                "ann", "of ann", "amqps://127.0.0.1:" + port + "?transport.trustAll=true&transport.verifyHost=false");
        try (Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(QUEUE);
            session.createProducer(queue).send(session.createTextMessage("psst"));
            assertThat(((TextMessage) session.createConsumer(queue).receive(WAIT_MS)).getText())
                    .isEqualTo("psst");
        }
    }
}
