package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.status.ConnectionStatus;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.wire.RingtableSymbols;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsConnection;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.JmsConnectionListener;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that ask for it are sent to the node that has their first address (ADR 83). */
@Timeout(300)
class RedirectScenarioTest {
    private static final String THERE = "public.there"; // at the owner
    private static final String HERE = "public.here"; // at the front
    private static final String SECRET = "secret.there"; // at the owner, for nobody
    private static final long WAIT_MS = 60_000;
    private static final int MOST = 100;
    private static final String ASKS = RingtableSymbols.REDIRECT.toString();

    @AutoClose
    private static TwoNodes nodes;

    @AutoClose
    private static DatabaseDoor toOwner; // the way of clients and nodes

    private final List<Exception> lost = new CopyOnWriteArrayList<>(); // what clients heard of their connections

    @BeforeAll
    static void start() throws Exception {
        toOwner = new DatabaseDoor(() -> nodes.owner.port());
        nodes = new TwoNodes(
                TwoNodes.settings()
                        .with("ringtable.amqp.advertised-url", "amqp://127.0.0.1:" + toOwner.port())
                        .with("ringtable.queues", THERE + "," + SECRET)
                        .with(
                                "ringtable.security.rules[0].match", "public.#",
                                "ringtable.security.rules[0].users", "*",
                                "ringtable.security.rules[0].permissions", "send,receive,browse,create,delete")
                        .authenticator(RelayScenario.USERS),
                "ringtable.amqp.advertised-url",
                null);
        nodes.awaitKnown(THERE);
        nodes.awaitKnown(SECRET);
    }

    @AfterEach
    void noConnectionIsLost() {
        assertThat(lost).isEmpty();
    }

    /** An acknowledgement on its way over a relay is lost with that relay, and its message comes again (JMS). */
    @AfterEach
    void allIsAcknowledgedAtTheOwner() {
        await().until(() -> nodes.owner.shard().lookup().find(THERE).quota().messages() == 0);
    }

    private static JmsConnectionFactory asking() {
        return new JmsConnectionFactory(
                "ann", "of ann", "failover:(amqp://127.0.0.1:" + nodes.front.port() + "?amqp.vhost=" + ASKS + ")");
    }

    private Connection connect(String client) throws JMSException {
        Connection connection = asking().createConnection();
        connection.setClientID(client);
        connection.setExceptionListener(lost::add);
        connection.start();
        return connection;
    }

    /** Tells whether a client is connected to a node itself, and with how many links. */
    private static List<Integer> linksOf(TestBroker node, String client) throws Exception {
        return node.connections().connections(MOST, null, null).toCompletableFuture().get().items().stream()
                .filter(connection -> connection.container().equals(client))
                .map(ConnectionStatus::links)
                .toList();
    }

    private static void assertIsAt(TestBroker node, TestBroker not, String client, int links) throws Exception {
        assertThat(linksOf(node, client)).containsExactly(links);
        await().until(() -> linksOf(not, client).isEmpty());
    }

    private static void roundTrip(Session session, MessageProducer producer, MessageConsumer consumer, String text)
            throws JMSException {
        producer.send(session.createTextMessage(text));
        if (session.getTransacted()) {
            session.commit();
        }
        assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo(text);
        if (session.getTransacted()) {
            session.commit();
        }
    }

    @Test
    void aProducerAndAConsumerOfJmsGoToTheNodeOfTheirQueue() throws Exception {
        try (Connection connection = connect("jms")) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(THERE);
            MessageProducer producer = session.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);
            roundTrip(session, producer, consumer, "direct");
            assertIsAt(nodes.owner, nodes.front, "jms", 2);

            Queue elsewhere = session.createQueue(HERE + ".of.jms");
            roundTrip(session, session.createProducer(elsewhere), session.createConsumer(elsewhere), "over a relay");
            assertThat(linksOf(nodes.owner, "jms")).containsExactly(4);
        }
    }

    @Test
    void theFirstMessageOfAContextGoesThere() throws Exception {
        try (JMSContext context = asking().createContext()) {
            context.setClientID("context");
            Queue queue = context.createQueue(THERE);
            context.createProducer().send(queue, "first");
            assertIsAt(nodes.owner, nodes.front, "context", 1);
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("first");
            }
        }
    }

    @Test
    void aTransactedSessionGoesThere() throws Exception {
        try (Connection connection = connect("transacted")) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            Queue queue = session.createQueue(THERE);
            MessageProducer producer = session.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);
            roundTrip(session, producer, consumer, "committed");
            assertIsAt(nodes.owner, nodes.front, "transacted", 3); // with the coordinator
        }
    }

    @Test
    void aClientStaysThatHasSomethingHere() throws Exception {
        try (Connection connection = connect("stays")) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue here = session.createTemporaryQueue();
            Queue there = session.createQueue(THERE);
            roundTrip(session, session.createProducer(there), session.createConsumer(there), "over a relay");
            assertThat(linksOf(nodes.front, "stays")).containsExactly(3);
            session.createProducer(here).send(session.createTextMessage("the temporary queue lives"));
        }
    }

    @Test
    void aClientThatDoesNotAskStays() throws Exception {
        try (Connection connection = nodes.front.jms("ann", "of ann").createConnection()) {
            connection.setClientID("asks not");
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue there = session.createQueue(THERE);
            roundTrip(session, session.createProducer(there), session.createConsumer(there), "over a relay");
            assertThat(linksOf(nodes.front, "asks not")).containsExactly(2);
        }
    }

    /** The front sees the owner still, and nobody can connect to that. The client knows the front alone. */
    @Test
    void whoIsSentToANodeThatHasJustDiedComesBackAndWaitsForItsOwner() throws Exception {
        CompletableFuture<URI> restored = new CompletableFuture<>();
        toOwner.shut();
        try (Connection connection = asking().createConnection()) {
            connection.setClientID("returns");
            ((JmsConnection) connection).addConnectionListener(whenRestored(restored));
            connection.start();
            CompletableFuture<Void> used = CompletableFuture.runAsync(() -> roundTrip(connection));
            assertThat(restored.get(WAIT_MS, TimeUnit.MILLISECONDS).getPort()).isEqualTo(nodes.front.port());
            await().until(() -> linksOf(nodes.front, "returns").size() == 1);
            assertThat(used).isNotDone();

            toOwner.open();
            used.get(WAIT_MS, TimeUnit.MILLISECONDS);
            assertThat(linksOf(nodes.front, "returns")).containsExactly(2);
        } finally {
            toOwner.open();
        }
    }

    /** Hears where a client is connected again. The interface has eight methods, and one is of interest. */
    private static JmsConnectionListener whenRestored(CompletableFuture<URI> restored) {
        return (JmsConnectionListener) Proxy.newProxyInstance(
                JmsConnectionListener.class.getClassLoader(),
                new Class<?>[] {JmsConnectionListener.class},
                (listener, method, arguments) -> {
                    if (method.getName().equals("onConnectionRestored")) {
                        restored.complete((URI) arguments[0]);
                    }
                    return null;
                });
    }

    private static void roundTrip(Connection connection) {
        try {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(THERE);
            roundTrip(session, session.createProducer(queue), session.createConsumer(queue), "at last");
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theConditionSaysWhereAndWhoComesBackStays() throws Exception {
        try (FrontPeer client = FrontPeer.client(nodes.front, "ann", "asks", ASKS)) {
            assertThat(client.connection.getRemoteProperties()).doesNotContainKey(FailoverServers.PROPERTY);
            Sender sender = client.session().sender("to");
            sender.setTarget(new Target().setAddress(THERE));
            sender.open();
            assertThat(client.closed())
                    .startsWith(
                            "amqp:connection:redirect RT-4663 'public.there' is at amqp://127.0.0.1:" + toOwner.port());
            assertThat(client.connection.getRemoteCondition().getInfo())
                    .isEqualTo(Map.of(
                            Symbol.valueOf("network-host"),
                            "127.0.0.1",
                            Symbol.valueOf("port"),
                            toOwner.port(),
                            Symbol.valueOf("scheme"),
                            "amqp",
                            Symbol.valueOf("hostname"),
                            RingtableSymbols.REDIRECTED));
        }
        try (FrontPeer again = FrontPeer.client(nodes.front, "ann", "asks", ASKS)) {
            again.sender(again.session(), null, "to", THERE);
            assertThat(linksOf(nodes.front, "asks")).containsExactly(1);
        }
    }

    @Test
    void aClientThatWasSentIsNotSentAgain() throws Exception {
        try (FrontPeer client = FrontPeer.client(nodes.front, "ann", "sent", RingtableSymbols.REDIRECTED)) {
            Sender sender = client.sender(client.session(), null, "to", THERE);
            client.publish(sender, 1);
            List<?> others = (List<?>) client.connection.getRemoteProperties().get(FailoverServers.PROPERTY);
            assertThat(others)
                    .isNotEmpty()
                    .allSatisfy(node -> assertThat(((Map<?, ?>) node).get(Symbol.valueOf("hostname")))
                            .isEqualTo(ASKS));
            FrontPeer.Reader reader = client.reader(client.session(), null, "from", THERE);
            reader.receiver.addCredit(1);
            client.await(() -> !reader.deliveries.isEmpty());
            assertThat(reader.accept(0)).isEqualTo("0");
        }
    }

    @Test
    void whoMayNotUseAnAddressIsNotToldWhereItIs() throws Exception {
        try (FrontPeer client = FrontPeer.client(nodes.front, "ann", "curious", ASKS)) {
            Sender refused = client.attachSender(client.session(), null, "to", SECRET, true);
            assertThat(client.closed(refused)).startsWith("amqp:unauthorized-access");
            client.sender(client.session(), null, "to another", HERE);
            assertThat(linksOf(nodes.front, "curious")).containsExactly(1);
        }
    }
}
