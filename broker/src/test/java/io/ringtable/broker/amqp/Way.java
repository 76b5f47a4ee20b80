package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;

/** A way that a client has: it does what a user tries, and fails if the broker refuses that. */
interface Way {
    void tryIt(Session session, String user, String address) throws Exception;

    static void send(Session session, String user, String address) throws Exception {
        RightsBroker.send(session, session.createQueue(address), "of " + user);
    }

    static void sendToNew(Session session, String user, String address) throws Exception {
        send(session, user, address + user);
    }

    static void sendAnonymously(Session session, String user, String address) throws Exception {
        try (MessageProducer anyone = session.createProducer(null)) {
            anyone.send(session.createQueue(address), session.createTextMessage("of " + user));
        }
    }

    static void sendAnonymouslyToNew(Session session, String user, String address) throws Exception {
        sendAnonymously(session, user, address + user);
    }

    static void sendInTransaction(Session plain, String user, String address) throws Exception {
        try (Session session = RightsBroker.connection(user).createSession(true, Session.SESSION_TRANSACTED)) {
            send(session, user, address);
            session.commit();
        }
    }

    static void sendAnonymouslyInTransaction(Session plain, String user, String address) throws Exception {
        try (Session session = RightsBroker.connection(user).createSession(true, Session.SESSION_TRANSACTED)) {
            sendAnonymously(session, user, address);
            session.commit();
        }
    }

    static void consume(Session session, String user, String address) throws Exception {
        session.createConsumer(session.createQueue(address)).close();
    }

    static void consumeFromNew(Session session, String user, String address) throws Exception {
        consume(session, user, address + user);
    }

    static void consumeInTransaction(Session plain, String user, String address) throws Exception {
        try (Session session = RightsBroker.connection(user).createSession(true, Session.SESSION_TRANSACTED)) {
            consume(session, user, address);
            session.commit();
        }
    }

    static void browse(Session session, String user, String address) throws Exception {
        assertThat(session.createBrowser(session.createQueue(address)).getEnumeration())
                .isNotNull();
    }

    static void subscribe(Session session, String user, String address) throws Exception {
        session.createConsumer(session.createTopic(address)).close();
    }

    static void subscribeDurably(Session plain, String user, String address) throws Exception {
        try (Connection connection = RightsBroker.connect(user, "desk of " + user)) {
            Session session = connection.createSession();
            session.createDurableConsumer(session.createTopic(address), "own").close();
            session.unsubscribe("own");
        }
    }

    static void shareDurably(Session plain, String user, String address) throws Exception {
        try (Connection connection = RightsBroker.connect(user, "shared desk of " + user)) {
            Session session = connection.createSession();
            session.createSharedDurableConsumer(session.createTopic(address), "own")
                    .close();
            session.unsubscribe("own");
        }
    }

    static void shareGlobally(Session session, String user, String address) throws Exception {
        session.createSharedDurableConsumer(session.createTopic(address), "audit")
                .close();
    }

    /** A subscription of another topic under the same name would delete the first. */
    static void replaceGlobal(Session session, String user, String address) throws Exception {
        String name = ofTom("replaced by " + user);
        session.createSharedDurableConsumer(session.createTopic(address), name).close();
    }

    static void unsubscribeGlobal(Session session, String user, String address) throws Exception {
        session.unsubscribe(ofTom("closed by " + user));
    }

    /** Makes a global durable subscription. */
    private static String ofTom(String name) throws JMSException {
        try (Session session = RightsBroker.session("tom")) {
            session.createSharedDurableConsumer(session.createTopic("prices"), name)
                    .close();
        }
        return name;
    }

    static void useTemporaryQueue(Session session, String user, String none) throws Exception {
        TemporaryQueue queue = session.createTemporaryQueue();
        RightsBroker.send(session, queue, "of " + user);
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            assertThat(((TextMessage) consumer.receive(RightsBroker.WAIT_MS)).getText())
                    .isEqualTo("of " + user);
        }
        queue.delete();
    }

    static void reply(Session session, String user, String none) throws Exception {
        try (Session asking = RightsBroker.session("ann")) {
            TemporaryQueue queue = asking.createTemporaryQueue();
            try (MessageProducer anyone = session.createProducer(null)) {
                anyone.send(queue, session.createTextMessage("of " + user));
            }
            try (MessageConsumer consumer = asking.createConsumer(queue)) {
                assertThat(((TextMessage) consumer.receive(RightsBroker.WAIT_MS)).getText())
                        .isEqualTo("of " + user);
            }
            queue.delete();
        }
    }
}
