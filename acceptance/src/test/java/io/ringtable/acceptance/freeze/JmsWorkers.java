package io.ringtable.acceptance.freeze;

import io.ringtable.acceptance.harness.Pace;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;

/** Qpid JMS, with its fail-over over both nodes, and without it where its loop has to know what was committed. */
final class JmsWorkers {
    private static final Duration PAUSE = Duration.ofMillis(10); // between messages
    private static final long RECEIVE_MS = 200;
    private static final int BATCH = 5;
    private static final int INDIVIDUAL_ACKNOWLEDGE = 101; // Qpid JMS's own mode, not part of Jakarta Messaging
    private static final String IDLE = "amqp.idleTimeout=3000"; // a node that stands still is left

    private static final String TIMEOUTS =
            "jms.requestTimeout=30000&jms.sendTimeout=30000&jms.closeTimeout=5000&jms.connectTimeout=10000";

    private JmsWorkers() {}

    private static JmsConnectionFactory failover(List<Integer> ports) {
        return new JmsConnectionFactory(String.format(
                "failover:(amqp://127.0.0.1:%d?%s,amqp://127.0.0.1:%d?%s)?failover.initialReconnectDelay=20"
                        + "&failover.reconnectDelay=50&failover.maxReconnectDelay=200&%s&jms.prefetchPolicy.all=50",
                ports.get(0), IDLE, ports.get(1), IDLE, TIMEOUTS));
    }

    /**
     * Sends and waits for each outcome. The broker knows a message that fail-over sends again by its duplicate id, and
     * stores an id once.
     */
    static final class FailoverPublisher extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final String address;
        private final boolean topic;
        private int number;

        FailoverPublisher(List<Integer> ports, Account account, String address, boolean topic) {
            super("jms-publisher-" + address);
            this.ports = ports;
            this.account = account;
            this.address = address;
            this.topic = topic;
        }

        @Override
        void work() throws JMSException {
            try (Connection connection = failover(ports).createConnection()) {
                Session session = connection.createSession();
                Destination destination = topic ? session.createTopic(address) : session.createQueue(address);
                MessageProducer producer = session.createProducer(destination);
                producer.setDeliveryMode(DeliveryMode.PERSISTENT);
                while (goesOn()) {
                    String id = "jms/" + address + "/" + number++;
                    Message message = session.createTextMessage(id);
                    message.setStringProperty("_AMQ_DUPL_ID", id);
                    account.sending(address, id);
                    producer.send(message);
                    account.accepted(id);
                    Pace.pass(PAUSE);
                }
            }
        }
    }

    /** Takes messages as they are pushed and acknowledges each; Qpid JMS does not wait for the broker's word. */
    static final class IndividualConsumer extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final String queue;

        IndividualConsumer(List<Integer> ports, Account account, String queue) {
            super("jms-individual-" + queue);
            this.ports = ports;
            this.account = account;
            this.queue = queue;
        }

        @Override
        void work() throws JMSException {
            try (Connection connection = failover(ports).createConnection()) {
                Session session = connection.createSession(INDIVIDUAL_ACKNOWLEDGE);
                MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
                consumer.setMessageListener(this::take);
                connection.start();
                awaitEnd();
            }
        }

        private void take(Message message) {
            try {
                account.arrived(queue, "jms-individual", text(message), message.getJMSRedelivered());
                message.acknowledge();
            } catch (JMSException lost) {
                // It comes again, flagged.
            }
        }
    }

    /**
     * Settles in transactions: the answer to a commit is the broker's word. Takes each message off the wire by itself.
     */
    static final class TransactedSubscriber extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final String topic;
        private final String name;
        private int connections;

        TransactedSubscriber(List<Integer> ports, Account account, String topic, String name) {
            super(name);
            this.ports = ports;
            this.account = account;
            this.topic = topic;
            this.name = name;
        }

        @Override
        void work() throws JMSException {
            int port = ports.get(connections++ % ports.size());
            JmsConnectionFactory factory = new JmsConnectionFactory(
                    "amqp://127.0.0.1:" + port + "?" + IDLE + "&" + TIMEOUTS + "&jms.prefetchPolicy.all=0");
            factory.setClientID(name);
            try (Connection connection = factory.createConnection()) {
                Session session = connection.createSession(Session.SESSION_TRANSACTED);
                MessageConsumer consumer = session.createDurableConsumer(session.createTopic(topic), name);
                account.reads(name, topic);
                connection.start();
                while (goesOn()) {
                    transact(session, consumer);
                }
            }
        }

        private void transact(Session session, MessageConsumer consumer) throws JMSException {
            List<String> ids = new ArrayList<>();
            while (ids.size() < BATCH) {
                Message message = consumer.receive(RECEIVE_MS);
                if (message == null) {
                    break;
                }
                String id = text(message);
                account.arrived(name, name, id, message.getJMSRedelivered());
                ids.add(id);
            }
            session.commit();
            ids.forEach(id -> account.settled(name, name, id));
        }
    }

    /** Returns the text of a message; messages of the other clients are messages of bytes to JMS. */
    private static String text(Message message) throws JMSException {
        return message.isBodyAssignableTo(String.class)
                ? message.getBody(String.class)
                : new String(message.getBody(byte[].class), StandardCharsets.UTF_8);
    }
}
