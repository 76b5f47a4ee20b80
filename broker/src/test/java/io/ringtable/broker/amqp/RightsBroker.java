package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.MemoryDirectory;
import io.ringtable.broker.TestSettings;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.util.FileSystemUtils;

/**
 * One broker with users and rules for all classes of tests that try what users may do. On it lie messages, dead
 * letters, messages that have expired, and a subscription of tom's; each user has a connection.
 */
final class RightsBroker implements AutoCloseable {
    static final long WAIT_MS = 60_000;
    static final String EVERYONE = "ann max bob tom eve ops";

    private static final int OWN_ACKNOWLEDGE = 101;
    private static final int REJECTED = 2;

    private static RightsBroker shared; // made before the first class, and never replaced

    private final Path directory;
    private final TestBroker broker;
    private final Map<String, Connection> connections = new HashMap<>(); // by user, without a client id

    /** Starts the broker before the first class that asks for it; JUnit closes it after the last test. */
    static final class Shared implements BeforeAllCallback {
        @Override
        public void beforeAll(ExtensionContext context) {
            context.getRoot()
                    .getStore(ExtensionContext.Namespace.GLOBAL)
                    .computeIfAbsent(RightsBroker.class, key -> start(), RightsBroker.class);
        }
    }

    private RightsBroker(Path directory) {
        this.directory = directory;
        broker = TestBroker.start(directory, settings());
    }

    private static RightsBroker start() {
        try {
            shared = new RightsBroker(MemoryDirectory.create("ringtable-rights-"));
            shared.lay();
            return shared;
        } catch (Exception e) {
            throw new IllegalStateException("the broker of the tests of rights does not start", e);
        }
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

    private void lay() throws Exception {
        for (String user : EVERYONE.split(" ")) {
            connections.put(user, connect(user, null));
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
        try (Session own = connection("ops").createSession(false, OWN_ACKNOWLEDGE);
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

    /** Returns the broker itself. */
    static TestBroker broker() {
        return shared.broker;
    }

    /** Returns how many messages a queue has. */
    static long messages(String queue) {
        return broker().shard().lookup().find(queue).quota().messages();
    }

    /** Opens another connection of a user. @param clientId null for none */
    static Connection connect(String user, String clientId) throws JMSException {
        JmsConnectionFactory factory = new JmsConnectionFactory("amqp://127.0.0.1:" + broker().port());
        Connection connection = factory.createConnection(user, "of " + user);
        if (clientId != null) {
            connection.setClientID(clientId);
        }
        connection.start();
        return connection;
    }

    /** Returns the connection that each user has, without a client id. */
    static Connection connection(String user) {
        return shared.connections.get(user);
    }

    static Session session(String user) throws JMSException {
        return connection(user).createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    static void send(Session session, Destination destination, String text) throws JMSException {
        try (MessageProducer producer = session.createProducer(destination)) {
            producer.send(session.createTextMessage(text));
        }
    }

    @Override
    public void close() throws JMSException, IOException {
        for (Connection connection : connections.values()) {
            connection.close();
        }
        broker.close();
        FileSystemUtils.deleteRecursively(directory);
    }
}
