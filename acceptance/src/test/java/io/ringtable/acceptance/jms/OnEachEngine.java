package io.ringtable.acceptance.jms;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.Sends;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the tests of a class against one broker for each engine, which the next class with the same settings takes over.
 * Names of addresses and of clients are each test's own.
 */
@ParameterizedClass(name = "{0}")
@EnumSource(Engine.class)
@Timeout(300)
@ExtendWith(Bench.OfClass.class)
abstract class OnEachEngine {
    /** How long something is waited for that has to come. */
    static final long COMES_MS = 60_000;

    private final Engine engine;
    private final Deque<Connection> connections = new ArrayDeque<>();
    private BrokerProcess broker;

    OnEachEngine(Engine engine) {
        this.engine = engine;
    }

    /** Here, and not before each test: the reason is told once for the class. */
    @BeforeParameterizedClassInvocation
    static void requireEngine(Engine engine) {
        engine.require();
    }

    @BeforeEach
    void startBroker(Bench bench) {
        broker = bench.sharedBroker(engine, this::settings);
    }

    /** Returns the settings of the class's broker: the usual, unless a class needs its own. */
    BrokerSettings settings(BrokerSettings settings) {
        return settings.usual();
    }

    @AfterEach
    void closeConnections() throws JMSException {
        while (!connections.isEmpty()) {
            connections.pop().close();
        }
    }

    final BrokerProcess broker() {
        return broker;
    }

    /** Starts the broker again, and waits until its nodes have their shares: that may end connections. */
    final void startAgain() {
        broker.start().awaitShares();
    }

    /** A connection without a client id. */
    final JMSContext context() {
        return opened(JMSContext.AUTO_ACKNOWLEDGE);
    }

    /**
     * Opens the connection at once. A context opens it at its first use, and the broker closes a connection that
     * waits for longer than it takes to log in.
     */
    final JMSContext opened(int sessionMode) {
        JMSContext context = Jms.factory(broker.amqpUrl()).createContext(sessionMode);
        context.start();
        return context;
    }

    final JMSContext client(String clientId) {
        JMSContext context = Jms.factory(broker.amqpUrl()).createContext();
        context.setClientID(clientId); // opens it
        return context;
    }

    /** Started; closed after the test. */
    final Connection connect() throws JMSException {
        return connect(null);
    }

    final Connection connect(String clientId) throws JMSException {
        Connection connection = Jms.factory(broker.amqpUrl()).createConnection();
        connections.push(connection);
        if (clientId != null) {
            connection.setClientID(clientId);
        }
        connection.start();
        return connection;
    }

    static void send(Session session, Queue queue, String... texts) throws JMSException {
        try (MessageProducer producer = session.createProducer(queue)) {
            for (String text : texts) {
                producer.send(session.createTextMessage(text));
            }
        }
    }

    /** Takes every message that the queue has for any consumer. */
    final List<String> drain(Queue queue) {
        try (JMSContext context = context()) {
            return rest(context.createConsumer(queue));
        }
    }

    static String text(Message message) throws JMSException {
        return message == null ? null : message.getBody(String.class);
    }

    final void publish(String topic, List<String> texts) {
        try (JMSContext publisher = context()) {
            Sends sends = new Sends();
            JMSProducer producer = publisher.createProducer().setAsync(sends);
            texts.forEach(text -> producer.send(publisher.createTopic(topic), text));
            sends.await(texts.size());
        }
    }

    /** The next so many; fewer if no more come in time. */
    static List<String> take(JMSConsumer consumer, int count) {
        List<String> texts = new ArrayList<>();
        while (texts.size() < count) {
            String text = consumer.receiveBody(String.class, COMES_MS);
            if (text == null) {
                break;
            }
            texts.add(text);
        }
        return texts;
    }

    /** Receives everything that is there: a drain marks the end. */
    static List<String> rest(JMSConsumer consumer) {
        List<String> texts = new ArrayList<>();
        for (String text; (text = consumer.receiveBodyNoWait(String.class)) != null; ) {
            texts.add(text);
        }
        return texts;
    }
}
