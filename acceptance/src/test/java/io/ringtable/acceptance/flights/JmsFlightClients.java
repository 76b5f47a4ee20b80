package io.ringtable.acceptance.flights;

import io.ringtable.acceptance.harness.Pace;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * Qpid JMS without its fail-over: the loops here reconnect and resend, so that it is known of every row whether its
 * publisher had an outcome. Subscription 0 acknowledges each message, the others many at once.
 */
final class JmsFlightClients implements FlightClients {
    private static final int WINDOW = 300; // sends without an outcome, per publisher
    private static final int ACKNOWLEDGE_EVERY = 64;
    private static final Duration RETRY = Duration.ofMillis(500); // a start has the processors to itself
    private static final String OPTIONS =
            "?jms.prefetchPolicy.all=500&jms.requestTimeout=20000&jms.closeTimeout=5000&jms.connectTimeout=5000";

    private final FlightAccounts accounts;
    private final FlightRows rows;
    private final JmsConnectionFactory factory;

    JmsFlightClients(FlightAccounts accounts, FlightRows rows, String url) {
        this.accounts = accounts;
        this.rows = rows;
        this.factory = new JmsConnectionFactory(url + OPTIONS);
    }

    @Override
    public void publish(int publisher, int from, int before) throws Exception {
        while (firstOpen(from, before) < before) {
            try (Connection connection = factory.createConnection()) {
                publishOver(connection, firstOpen(from, before), before);
            } catch (JMSException lost) {
                Pace.pass(RETRY);
            }
        }
    }

    private int firstOpen(int from, int before) {
        int row = from;
        while (row < before && accounts.isAccepted(row)) {
            row = accounts.after(row);
        }
        return row;
    }

    private void publishOver(Connection connection, int from, int before) throws JMSException, InterruptedException {
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(session.createTopic(TOPIC));
        producer.setDeliveryMode(DeliveryMode.PERSISTENT);
        Outcomes outcomes = new Outcomes();
        try {
            for (int row = from; row < before && !outcomes.broken; row = accounts.after(row)) {
                if (!accounts.isAccepted(row)) {
                    outcomes.window.acquire();
                    send(session, producer, row, outcomes);
                }
            }
        } catch (JMSException lost) {
            outcomes.broken = true;
        }
        if (outcomes.broken) {
            connection.close(); // which gives every send without an outcome to its listener
        }
        if (!outcomes.window.tryAcquire(WINDOW, 60, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    (WINDOW - outcomes.window.availablePermits()) + " sends have no outcome after 60 s");
        }
    }

    private void send(Session session, MessageProducer producer, int row, Outcomes outcomes) throws JMSException {
        int attempt = accounts.sending(row);
        try {
            TextMessage message = session.createTextMessage(rows.text(row));
            message.setIntProperty(ROW, row);
            message.setIntProperty(ATTEMPT, attempt);
            producer.send(message, outcomes.of(row));
        } catch (JMSException failure) {
            accounts.noOutcome(row, reason(failure));
            outcomes.window.release();
            throw failure;
        }
    }

    /** Takes the broker's answers to the sends of one connection. Thread: the session's, which calls the listeners. */
    private final class Outcomes {
        private final Semaphore window = new Semaphore(WINDOW);
        private volatile boolean broken;

        CompletionListener of(int row) {
            return new CompletionListener() {
                @Override
                public void onCompletion(Message message) {
                    accounts.accepted(row);
                    window.release();
                }

                @Override
                public void onException(Message message, Exception failure) {
                    broken = true;
                    if (isOutcome(failure)) {
                        accounts.rejected(row, reason(failure));
                    } else {
                        accounts.noOutcome(row, reason(failure));
                    }
                    window.release();
                }
            };
        }
    }

    @Override
    public void subscribe(int subscription) throws Exception {
        try (Connection connection = connect(subscription)) {
            Session session = connection.createSession();
            session.createDurableConsumer(session.createTopic(TOPIC), name(subscription))
                    .close();
        }
    }

    @Override
    public void receive(int subscription, BooleanSupplier done) throws Exception {
        while (!done.getAsBoolean()) {
            try (Connection connection = connect(subscription)) {
                receiveOver(connection, subscription, done);
            } catch (JMSException lost) {
                Pace.pass(RETRY);
            }
        }
    }

    private void receiveOver(Connection connection, int subscription, BooleanSupplier done) throws JMSException {
        boolean each = subscription == 0;
        Session session = connection.createSession(each ? Session.AUTO_ACKNOWLEDGE : Session.CLIENT_ACKNOWLEDGE);
        MessageConsumer consumer = session.createDurableConsumer(session.createTopic(TOPIC), name(subscription));
        connection.start();
        Message last = null;
        int unacknowledged = 0;
        while (!done.getAsBoolean()) {
            Message message = consumer.receive(200);
            if (message != null) {
                accounts.arrived(
                        subscription,
                        message.getIntProperty(ROW),
                        message.getIntProperty(ATTEMPT),
                        message.getJMSRedelivered(),
                        message.getBody(String.class));
                last = message;
                unacknowledged++;
            }
            if (!each && last != null && (message == null || unacknowledged >= ACKNOWLEDGE_EVERY)) {
                last.acknowledge();
                last = null;
                unacknowledged = 0;
            }
        }
        if (!each && last != null) {
            last.acknowledge();
        }
        consumer.close();
    }

    private Connection connect(int subscription) throws JMSException {
        Connection connection = factory.createConnection();
        connection.setClientID("reader-" + subscription);
        return connection;
    }

    /** The broker has said that it is not stored; anything else is a connection that ended first. */
    private static boolean isOutcome(Exception failure) {
        return failure instanceof ResourceAllocationException
                || String.valueOf(failure.getMessage()).contains("resource-limit-exceeded");
    }

    /** Without what differs from message to message. */
    private static String reason(Exception failure) {
        return (failure.getClass().getSimpleName() + " " + failure.getMessage()).replaceAll("\\d{5,}", "…");
    }

    private static String name(int subscription) {
        return "flights-" + subscription;
    }
}
