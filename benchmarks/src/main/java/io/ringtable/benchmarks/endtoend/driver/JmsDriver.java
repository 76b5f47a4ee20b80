package io.ringtable.benchmarks.endtoend.driver;

import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.apache.qpid.jms.JmsConnectionFactory;

/** Drives Apache Qpid JMS: AUTO_ACKNOWLEDGE, asynchronous sends with a completion listener. */
public final class JmsDriver implements Driver {
    private static final int QUEUE_PREFETCH = 1_000; // the client's own defaults
    private static final int DURABLE_PREFETCH = 100;

    private final int port;
    private final int underWayMax;
    private final ClientSetup setup;

    /**
     * Makes a driver for the broker at the port of loopback.
     *
     * @param underWayMax messages without an outcome per producer, and the most prefetch of a consumer
     */
    public JmsDriver(int port, int underWayMax, ClientSetup setup) {
        this.port = port;
        this.underWayMax = underWayMax;
        this.setup = setup;
    }

    private Connection connect(String clientId) throws JMSException {
        JmsConnectionFactory factory = new JmsConnectionFactory("amqp://127.0.0.1:" + port
                + "?jms.prefetchPolicy.queuePrefetch=" + Math.min(QUEUE_PREFETCH, underWayMax)
                + "&jms.prefetchPolicy.durableTopicPrefetch=" + Math.min(DURABLE_PREFETCH, underWayMax));
        if (clientId != null) {
            factory.setClientID(clientId);
        }
        return setup.user() == null
                ? factory.createConnection()
                : factory.createConnection(setup.user(), setup.password());
    }

    private static jakarta.jms.Destination resolve(Session session, Destination destination) throws JMSException {
        return destination.topic() ? session.createTopic(destination.name()) : session.createQueue(destination.name());
    }

    @Override
    public Sender sender(Destination to) {
        try {
            Connection connection = connect(null);
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(resolve(session, to));
            producer.setDeliveryMode(DeliveryMode.PERSISTENT);
            connection.start();
            return new JmsSender(connection, session, producer, underWayMax, setup);
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Receiver receiver(Destination from, String durableName, Consumer<byte[]> onMessage) {
        return subscribe(from, durableName, message -> onMessage.accept(body(message)));
    }

    @Override
    public Receiver stalled(Destination from, String durableName) {
        return subscribe(from, durableName, null); // the client takes its prefetch, and nobody takes it from there
    }

    private Receiver subscribe(Destination from, String durableName, MessageListener listener) {
        try {
            Connection connection = connect(durableName == null ? null : "bench-" + durableName);
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            jakarta.jms.Destination source = resolve(session, from);
            MessageConsumer consumer = durableName == null
                    ? session.createConsumer(source)
                    : session.createDurableSubscriber((Topic) source, durableName);
            consumer.setMessageListener(listener);
            connection.start();
            return () -> close(connection);
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] body(Message message) {
        try {
            return message.getBody(byte[].class);
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends with one producer on a connection of its own. */
    private static final class JmsSender implements Sender {
        private final Connection connection;
        private final Session session;
        private final MessageProducer producer;
        private final Semaphore room;
        private final ClientSetup setup;

        JmsSender(
                Connection connection, Session session, MessageProducer producer, int underWayMax, ClientSetup setup) {
            this.connection = connection;
            this.session = session;
            this.producer = producer;
            this.room = new Semaphore(underWayMax);
            this.setup = setup;
        }

        @Override
        public void send(byte[] body, Runnable accepted) {
            room.acquireUninterruptibly();
            try {
                producer.send(message(body), new CompletionListener() {
                    @Override
                    public void onCompletion(Message message) {
                        room.release();
                        accepted.run();
                    }

                    @Override
                    public void onException(Message message, Exception exception) {
                        room.release(); // not accepted, so not counted
                    }
                });
            } catch (JMSException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void sendAndWait(byte[] body) {
            try {
                producer.send(message(body));
            } catch (JMSException e) {
                throw new IllegalStateException(e);
            }
        }

        private BytesMessage message(byte[] body) throws JMSException {
            BytesMessage message = session.createBytesMessage();
            message.writeBytes(body);
            String traceparent = setup.nextTraceparent();
            if (traceparent != null) {
                message.setStringProperty(ClientSetup.TRACEPARENT, traceparent);
            }
            return message;
        }

        @Override
        public void close() {
            JmsDriver.close(connection);
        }
    }
}
