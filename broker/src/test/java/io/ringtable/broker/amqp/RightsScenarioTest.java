package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.awaitility.Awaitility;
import org.hamcrest.CoreMatchers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each user tries each way that a client has, on one broker, and is allowed what rules give and refused the rest.
 * <p>Longer than others, because the rules and all ways to try them are one table.
 */
@Timeout(120)
class RightsScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final String EVERYONE = "ann max bob tom eve ops";

    private static final int OWN_ACKNOWLEDGE = 101;
    private static final int REJECTED = 2;

    @TempDir
    private static Path directory;

    private static TestBroker broker;
    private static final Map<String, Connection> CONNECTIONS = new HashMap<>(); // by user, without a client id

    /** Does what a user tries; fails if the broker refuses it. */
    interface Way {
        void tryIt(Session session, String user, String address) throws Exception;
    }

    private static TestSettings settings() {
        TestSettings settings = TestSettings.of(
                "ringtable.dispatch.expiry-queue", "expired",
                "ringtable.dispatch.addresses[0].match", "parcels.#",
                "ringtable.dispatch.addresses[0].dead-letter-queue", "parcels.dead");
        int position = 0;
        for (String user : EVERYONE.split(" ")) {
            String property = "ringtable.security.users[" + position++ + "].";
            settings = settings.with(property + "name", user, property + "password", "{noop}of " + user);
            if (Set.of("ann", "tom").contains(user)) {
                settings = settings.with(property + "groups", "traders");
            }
            if (user.equals("ops")) {
                settings = settings.with(property + "groups", "operators,others");
            }
        }
        position = 0;
        for (String rule : List.of(
                "orders.# | users       | ann       | send,receive,browse,create",
                "orders.* | users       | max       | send,browse",
                "prices   | groups      | traders   | receive",
                "prices   | users       | tom       | send,create",
                "prices   | users       | bob       | receive",
                "parcels.dead | users   | bob       | receive",
                "public.# | users       | *         | send,receive,create",
                "#        | groups      | operators | send,receive,browse,create,delete,manage")) {
            String[] cells = rule.split("\\s*\\|\\s*");
            String property = "ringtable.security.rules[" + position++ + "].";
            settings = settings.with(
                    property + "match", cells[0], property + cells[1], cells[2], property + "permissions", cells[3]);
        }
        return settings;
    }

    @BeforeAll
    static void begin() throws Exception {
        broker = TestBroker.start(directory, settings());
        for (String user : EVERYONE.split(" ")) {
            CONNECTIONS.put(user, connect(user, null));
        }
        try (Session session = session("ops")) {
            for (String queue : List.of("orders.eu", "orders.eu.north", "secret", "parcels.dead")) {
                session.createProducer(session.createQueue(queue)).close();
            }
            session.createProducer(session.createTopic("prices")).close();
            for (String queue : List.of("orders.dying", "secret.dying", "parcels.dying")) {
                die(session, queue);
            }
            expire(session, "orders.late");
            expire(session, "secret.late");
        }
        Awaitility.await().until(() -> messages("DLQ") == 2);
        try (Session session = session("tom")) {
            session.createSharedDurableConsumer(session.createTopic("prices"), "audit")
                    .close();
        }
    }

    /** Rejects a message of the queue, so that the message moves to the dead-letter queue. */
    private static void die(Session session, String name) throws Exception {
        Queue queue = session.createQueue(name);
        send(session, queue, name);
        try (Session own = CONNECTIONS.get("ops").createSession(false, OWN_ACKNOWLEDGE);
                MessageConsumer consumer = own.createConsumer(queue)) {
            Message message = consumer.receive(WAIT_MS);
            message.setIntProperty("JMS_AMQP_ACK_TYPE", REJECTED);
            message.acknowledge();
        }
    }

    /** Lets a message move to the expiry queue: its time is over when a consumer asks for it. */
    private static void expire(Session session, String name) throws Exception {
        Queue queue = session.createQueue(name);
        long before = messages("expired");
        try (MessageProducer producer = session.createProducer(queue)) {
            producer.setTimeToLive(1);
            producer.send(session.createTextMessage(name));
        }
        long sent = System.currentTimeMillis();
        Awaitility.await().until(() -> System.currentTimeMillis() > sent + 1);
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            Awaitility.await().until(() -> messages("expired") > before);
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }

    private static long messages(String queue) {
        return broker.shard().lookup().find(queue).quota().messages();
    }

    private static Connection connect(String user, String clientId) throws JMSException {
        JmsConnectionFactory factory = new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port());
        Connection connection = factory.createConnection(user, "of " + user);
        if (clientId != null) {
            connection.setClientID(clientId);
        }
        connection.start();
        return connection;
    }

    private static Session session(String user) throws JMSException {
        return CONNECTIONS.get(user).createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    private static void send(Session session, Destination destination, String text) throws JMSException {
        try (MessageProducer producer = session.createProducer(destination)) {
            producer.send(session.createTextMessage(text));
        }
    }

    @AfterAll
    static void end() throws Exception {
        for (Connection connection : CONNECTIONS.values()) {
            connection.close();
        }
        broker.close();
    }

    // ---- the matrix

    private static Stream<Arguments> matrix() {
        return Stream.of(
                        row("attach to send", "orders.eu", "ann max ops", RightsScenarioTest::send),
                        row("attach to send", "orders.eu.north", "ann ops", RightsScenarioTest::send),
                        row("attach to send", "public.news", EVERYONE, RightsScenarioTest::send),
                        row("create by attaching", "orders.of-", "ann ops", RightsScenarioTest::sendToNew),
                        row("create by attaching", "public.of-", EVERYONE, RightsScenarioTest::sendToNew),
                        row("create by a message", "orders.by-", "ann ops", RightsScenarioTest::sendAnonymouslyToNew),
                        row("create by consuming", "orders.in-", "ann ops", RightsScenarioTest::consumeFromNew),
                        row("anonymous producer", "orders.eu", "ann max ops", RightsScenarioTest::sendAnonymously),
                        row("anonymous producer", "secret", "ops", RightsScenarioTest::sendAnonymously),
                        row("in a transaction", "orders.eu", "ann max ops", RightsScenarioTest::sendInTransaction),
                        row(
                                "anonymous in a transaction",
                                "orders.eu",
                                "ann max ops",
                                RightsScenarioTest::sendAnonymouslyInTransaction),
                        row("consume", "orders.eu", "ann ops", RightsScenarioTest::consume),
                        row("consume", "secret", "ops", RightsScenarioTest::consume),
                        row(
                                "consume in a transaction",
                                "orders.eu",
                                "ann ops",
                                RightsScenarioTest::consumeInTransaction),
                        row("browse", "orders.eu", "ann max ops", RightsScenarioTest::browse),
                        row("browse", "public.news", "ops", RightsScenarioTest::browse),
                        row("subscribe", "prices", "ann bob tom ops", RightsScenarioTest::subscribe),
                        row("durable subscriber", "prices", "ann bob tom ops", RightsScenarioTest::subscribeDurably),
                        row("shared durable", "prices", "ann bob tom ops", RightsScenarioTest::shareDurably),
                        row("global subscription of tom", "prices", "tom ops", RightsScenarioTest::shareGlobally),
                        row("replace that of tom", "public.topic", "tom ops", RightsScenarioTest::replaceGlobal),
                        row("unsubscribe that of tom", "prices", "tom ops", RightsScenarioTest::unsubscribeGlobal),
                        row("temporary queue", "", EVERYONE, RightsScenarioTest::useTemporaryQueue),
                        row("reply to a temporary queue", "", EVERYONE, RightsScenarioTest::reply),
                        row("named dead-letter queue", "parcels.dead", "bob ops", RightsScenarioTest::consume))
                .flatMap(row -> Stream.of(EVERYONE.split(" "))
                        .map(user -> Arguments.of(
                                user,
                                row.name,
                                row.address,
                                List.of(row.allowed.split(" ")).contains(user) ? "allowed" : "refused",
                                row.way)));
    }

    private record Row(String name, String address, String allowed, Way way) {}

    private static Row row(String name, String address, String allowed, Way way) {
        return new Row(name, address, allowed, way);
    }

    @ParameterizedTest(name = "{0}: {1} {2} is {3}")
    @MethodSource("matrix")
    void whatRulesDoNotGiveIsRefused(String user, String name, String address, String outcome, Way way)
            throws Exception {
        long refusedBefore = broker.counters().permissionsRefused.sum();
        try (Session session = session(user)) {
            if (outcome.equals("allowed")) {
                assertThatCode(() -> way.tryIt(session, user, address)).doesNotThrowAnyException();
                assertThat(broker.counters().permissionsRefused.sum()).isEqualTo(refusedBefore);
            } else {
                assertThatThrownBy(() -> way.tryIt(session, user, address))
                        .isInstanceOf(
                                // what a transaction refuses shows at its commit
                                name.startsWith("anonymous in") ? JMSException.class : JMSSecurityException.class)
                        .hasMessageMatching("(?s).*RT-435[02] user '" + user + "' may not .*permission '\\w+'.*");
                assertThat(broker.counters().permissionsRefused.sum()).isGreaterThan(refusedBefore);
            }
        }
    }

    private static void send(Session session, String user, String address) throws Exception {
        send(session, session.createQueue(address), "of " + user);
    }

    private static void sendToNew(Session session, String user, String address) throws Exception {
        send(session, user, address + user);
    }

    private static void sendAnonymously(Session session, String user, String address) throws Exception {
        try (MessageProducer anyone = session.createProducer(null)) {
            anyone.send(session.createQueue(address), session.createTextMessage("of " + user));
        }
    }

    private static void sendAnonymouslyToNew(Session session, String user, String address) throws Exception {
        sendAnonymously(session, user, address + user);
    }

    private static void sendInTransaction(Session plain, String user, String address) throws Exception {
        try (Session session = CONNECTIONS.get(user).createSession(true, Session.SESSION_TRANSACTED)) {
            send(session, user, address);
            session.commit();
        }
    }

    private static void sendAnonymouslyInTransaction(Session plain, String user, String address) throws Exception {
        try (Session session = CONNECTIONS.get(user).createSession(true, Session.SESSION_TRANSACTED)) {
            sendAnonymously(session, user, address);
            session.commit();
        }
    }

    private static void consume(Session session, String user, String address) throws Exception {
        session.createConsumer(session.createQueue(address)).close();
    }

    private static void consumeFromNew(Session session, String user, String address) throws Exception {
        consume(session, user, address + user);
    }

    private static void consumeInTransaction(Session plain, String user, String address) throws Exception {
        try (Session session = CONNECTIONS.get(user).createSession(true, Session.SESSION_TRANSACTED)) {
            consume(session, user, address);
            session.commit();
        }
    }

    private static void browse(Session session, String user, String address) throws Exception {
        assertThat(session.createBrowser(session.createQueue(address)).getEnumeration())
                .isNotNull();
    }

    private static void subscribe(Session session, String user, String address) throws Exception {
        session.createConsumer(session.createTopic(address)).close();
    }

    private static void subscribeDurably(Session plain, String user, String address) throws Exception {
        try (Connection connection = connect(user, "desk of " + user)) {
            Session session = connection.createSession();
            session.createDurableConsumer(session.createTopic(address), "own").close();
            session.unsubscribe("own");
        }
    }

    private static void shareDurably(Session plain, String user, String address) throws Exception {
        try (Connection connection = connect(user, "shared desk of " + user)) {
            Session session = connection.createSession();
            session.createSharedDurableConsumer(session.createTopic(address), "own")
                    .close();
            session.unsubscribe("own");
        }
    }

    private static void shareGlobally(Session session, String user, String address) throws Exception {
        session.createSharedDurableConsumer(session.createTopic(address), "audit")
                .close();
    }

    /** A subscription of another topic under the same name would delete the first. */
    private static void replaceGlobal(Session session, String user, String address) throws Exception {
        String name = ofTom("replaced by " + user);
        session.createSharedDurableConsumer(session.createTopic(address), name).close();
    }

    private static void unsubscribeGlobal(Session session, String user, String address) throws Exception {
        session.unsubscribe(ofTom("closed by " + user));
    }

    /** Makes a global durable subscription. */
    private static String ofTom(String name) throws JMSException {
        try (Session session = session("tom")) {
            session.createSharedDurableConsumer(session.createTopic("prices"), name)
                    .close();
        }
        return name;
    }

    private static void useTemporaryQueue(Session session, String user, String none) throws Exception {
        TemporaryQueue queue = session.createTemporaryQueue();
        send(session, queue, "of " + user);
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("of " + user);
        }
        queue.delete();
    }

    private static void reply(Session session, String user, String none) throws Exception {
        try (Session asking = session("ann")) {
            TemporaryQueue queue = asking.createTemporaryQueue();
            try (MessageProducer anyone = session.createProducer(null)) {
                anyone.send(queue, session.createTextMessage("of " + user));
            }
            try (MessageConsumer consumer = asking.createConsumer(queue)) {
                assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("of " + user);
            }
            queue.delete();
        }
    }

    // ---- dead letters

    @ParameterizedTest(name = "{0} sees {1}, and browses {2}")
    @CsvSource(delimiter = '|', textBlock = """
            ann | orders.dying              | orders.dying
            max |                           | orders.dying
            bob |                           | refused
            tom |                           | refused
            eve |                           | refused
            ops | orders.dying secret.dying | orders.dying secret.dying
            """)
    void aReaderOfTheDeadLetterQueueSeesWhatCameFromAddressesThatItMayRead(String user, String consumed, String browsed)
            throws Exception {
        assertThat(deadLetters(() -> consumed(user))).isEqualTo(consumed == null ? "" : consumed);
        assertThat(deadLetters(() -> browsed(user, "DLQ"))).isEqualTo(browsed);
    }

    @ParameterizedTest(name = "{0} browses {1}")
    @CsvSource(delimiter = '|', textBlock = """
            max | orders.late
            ops | orders.late secret.late
            bob | refused
            """)
    void aReaderOfTheExpiryQueueSeesWhatCameFromAddressesThatItMayRead(String user, String browsed) throws Exception {
        assertThat(deadLetters(() -> browsed(user, "expired"))).isEqualTo(browsed);
    }

    /** Lists what a user finds. */
    interface Finder {
        List<String> find() throws JMSException;
    }

    private static String deadLetters(Finder finder) throws JMSException {
        try {
            List<String> found = new ArrayList<>(finder.find());
            Collections.sort(found);
            return String.join(" ", found);
        } catch (JMSSecurityException e) {
            assertThat(e).hasMessageContaining("RT-4350");
            return "refused";
        }
    }

    /** Receives all and gives it back. */
    private static List<String> consumed(String user) throws JMSException {
        List<String> found = new ArrayList<>();
        try (Session session = CONNECTIONS.get(user).createSession(true, Session.SESSION_TRANSACTED);
                MessageConsumer consumer = session.createConsumer(session.createQueue("DLQ"))) {
            // Without a wait the client drains: the broker says when it has no more.
            for (Message message; (message = consumer.receiveNoWait()) != null; ) {
                found.add(((TextMessage) message).getText());
            }
            session.rollback();
        }
        return found;
    }

    private static List<String> browsed(String user, String queue) throws JMSException {
        List<String> found = new ArrayList<>();
        try (Session session = session(user);
                QueueBrowser browser = session.createBrowser(session.createQueue(queue))) {
            for (Enumeration<?> each = browser.getEnumeration(); each.hasMoreElements(); ) {
                found.add(((TextMessage) each.nextElement()).getText());
            }
        }
        return found;
    }

    // ---- what a refusal tells, and other ways

    @Test
    void aRefusalIsTheSameWhetherTheAddressExistsOrNotAndCreatesNone() throws Exception {
        try (Session session = session("eve")) {
            for (Way way : List.<Way>of(
                    RightsScenarioTest::send,
                    RightsScenarioTest::sendAnonymously,
                    RightsScenarioTest::consume,
                    RightsScenarioTest::browse,
                    RightsScenarioTest::subscribe)) {
                assertThat(refusal(session, way, "secret").replace("secret", "NAME"))
                        .isEqualTo(refusal(session, way, "nowhere").replace("nowhere", "NAME"));
            }
        }
        assertThat(broker.shard().lookup().find("nowhere")).isNull();
    }

    private static String refusal(Session session, Way way, String address) {
        try {
            way.tryIt(session, "eve", address);
            return "none";
        } catch (Exception e) {
            return e.getMessage();
        }
    }

    @Test
    void aClientIdWithADurableSubscriptionIsForItsUser() throws Exception {
        try (Connection connection = connect("tom", "tom's desk")) {
            Session session = connection.createSession();
            session.createDurableConsumer(session.createTopic("prices"), "own").close();
        }
        assertThatThrownBy(() -> connect("ops", "tom's desk").close()).hasMessageContaining("RT-4332");
        assertThatThrownBy(() -> connect("eve", "|global|audit").close()).hasMessageContaining("RT-4353");
    }

    @Test
    void deletingAnAddressNeedsThatPermissionWhetherItExistsOrNot() throws Exception {
        try (ProtonTestClient max = open("max")) {
            isNotDeleted(max, 0, "orders.eu");
            isNotDeleted(max, 1, "orders.nowhere");
        }
        try (Session session = session("ops");
                ProtonTestClient ops = open("ops")) {
            send(session, session.createQueue("deleted"), "something");
            ops.expectAttach().ofReceiver().withTarget().withAddress("deleted");
            ops.expectDetach().withClosed(true).withError(CoreMatchers.nullValue());
            askToDelete(ops, 0, "deleted");
            ops.remoteDetach().withHandle(0).withClosed(true).now();
            FramePeer.done(ops);
        }
        assertThat(broker.shard().lookup().find("deleted")).isNull();
    }

    /** A user who could publish under its numbers would make messages of its owner look like duplicates. */
    @Test
    void aProducerIsForTheUserWhoOpenedItFirstAndForThoseWhoManageTheAddress() throws Exception {
        try (ProtonTestClient ann = open("ann");
                ProtonTestClient max = open("max");
                ProtonTestClient ops = open("ops")) {
            attachProducer(ann, 1);
            ann.expectDetach().withClosed(true);
            ann.remoteDetach().withHandle(0).withClosed(true).now();
            FramePeer.done(ann);

            max.expectAttach().ofReceiver().withTarget(CoreMatchers.nullValue());
            max.expectDetach()
                    .withClosed(true)
                    .withError(
                            "amqp:unauthorized-access",
                            CoreMatchers.startsWith("RT-4354 user 'max' may not open producer 'p' of queue"
                                    + " 'orders.eu', which is of another user"));
            attachProducer(max);

            attachProducer(ops, 2);
            ops.expectDetach().withClosed(true).withError("amqp:link:stolen", CoreMatchers.startsWith("RT-4101"));
            attachProducer(ann, 3);
            FramePeer.done(ops);
        }
    }

    private static void attachProducer(ProtonTestClient client, long incarnation) {
        client.expectAttach()
                .ofReceiver()
                .withProperties(Map.of(
                        "ringtable:producer",
                        "p",
                        "ringtable:producer-incarnation",
                        incarnation,
                        "ringtable:producer-last-number",
                        0L))
                .withTarget()
                .withAddress("orders.eu");
        client.expectFlow();
        attachProducer(client);
    }

    private static void attachProducer(ProtonTestClient client) {
        client.remoteAttach()
                .ofSender()
                .withName("numbered")
                .withHandle(0)
                .withInitialDeliveryCount(0)
                .withProperty("ringtable:producer", "p")
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress("orders.eu")
                .and()
                .now();
        FramePeer.done(client);
    }

    private static void isNotDeleted(ProtonTestClient client, int handle, String address) {
        client.expectAttach().ofReceiver().withTarget(CoreMatchers.nullValue());
        client.expectDetach()
                .withClosed(true)
                .withError(
                        "amqp:unauthorized-access",
                        CoreMatchers.startsWith("RT-4350 user 'max' may not delete '" + address + "'"));
        askToDelete(client, handle, address);
        FramePeer.done(client);
    }

    private static void askToDelete(ProtonTestClient client, int handle, String address) {
        client.remoteAttach()
                .ofSender()
                .withName("delete " + address)
                .withHandle(handle)
                .withInitialDeliveryCount(0)
                .withProperty("ringtable:delete", "always")
                .withSource()
                .withAddress("me")
                .and()
                .withTarget()
                .withAddress(address)
                .and()
                .now();
    }

    private static ProtonTestClient open(String user) throws Exception {
        ProtonTestClient client = new ProtonTestClient();
        client.queueClientSaslPlainConnect(user, "of " + user);
        client.remoteOpen().withContainerId("frames of " + user).queue();
        client.expectOpen().withOfferedCapabilities(CoreMatchers.anything());
        client.remoteBegin()
                .withNextOutgoingId(0)
                .withIncomingWindow(1_000)
                .withOutgoingWindow(1_000)
                .queue();
        client.expectBegin();
        client.connect("127.0.0.1", broker.port());
        FramePeer.done(client);
        return client;
    }
}
