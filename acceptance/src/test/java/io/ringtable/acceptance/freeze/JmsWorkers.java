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
import java.util.stream.Collectors;
import org.apache.qpid.jms.JmsConnectionFactory;

/** Qpid JMS, with its fail-over over several nodes, and without it where its loop has to know what was committed. */
public final class JmsWorkers {
    private static final Duration PAUSE = Duration.ofMillis(10); // between messages
    private static final long RECEIVE_MS = 200;
    private static final int BATCH = 5;
    private static final int INDIVIDUAL_ACKNOWLEDGE = 101; // Qpid JMS's own mode, not part of Jakarta Messaging
    private static final String IDLE = "amqp.idleTimeout=3000"; // a node that stands still is left

    private static final String TIMEOUTS =
            "jms.requestTimeout=30000&jms.sendTimeout=30000&jms.closeTimeout=5000&jms.connectTimeout=10000";

    private JmsWorkers() {}

    private static JmsConnectionFactory failover(List<Integer> ports) {
        String urls = ports.stream()
                .map(port -> "amqp://127.0.0.1:" + port + "?" + IDLE)
                .collect(Collectors.joining(","));
        return new JmsConnectionFactory("failover:(" + urls + ")?failover.initialReconnectDelay=20"
                + "&failover.reconnectDelay=50&failover.maxReconnectDelay=200&" + TIMEOUTS
                + "&jms.prefetchPolicy.all=50");
    }

    /**
     * Sends and waits for each outcome. The broker knows a message that fail-over sends again by its duplicate id, and
     * stores an id once.
     */
    public static final class FailoverPublisher extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final String address;
        private final boolean topic;
        private int number;

        public FailoverPublisher(List<Integer> ports, Account account, String address, boolean topic) {
            super("jms-publisher-" + address);
            this.ports = ports;
            this.account = account;
            this.address = address;
            this.topic = topic;
        }

        @Override
        protected void work() throws JMSException {
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

    /** Has no fail-over. It sends the message without an outcome again at the next node, as an application may do. */
    public static final class ResendingPublisher extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final String queue;
        private int connections;
        private int number;
        private String unanswered; // null = none

        public ResendingPublisher(List<Integer> ports, Account account, String queue) {
            super("jms-resending-" + queue);
            this.ports = ports;
            this.account = account;
            this.queue = queue;
        }

        @Override
        protected void work() throws JMSException {
            String url = "amqp://127.0.0.1:" + ports.get(connections++ % ports.size()) + "?" + IDLE + "&" + TIMEOUTS;
            try (Connection connection = new JmsConnectionFactory(url).createConnection()) {
                Session session = connection.createSession();
                MessageProducer producer = session.createProducer(session.createQueue(queue));
                while (goesOn() || unanswered != null) {
                    if (unanswered == null) {
                        unanswered = "jms-resending/" + queue + "/" + number++;
                        account.sending(queue, unanswered);
                    } else {
                        account.resending(unanswered);
                    }
                    producer.send(session.createTextMessage(unanswered));
                    account.accepted(unanswered);
                    unanswered = null;
                    Pace.pass(PAUSE);
                }
            }
        }
    }

    /** Takes messages as they are pushed and acknowledges each; Qpid JMS does not wait for the broker's word. */
    public static final class IndividualConsumer extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final String queue;

        public IndividualConsumer(List<Integer> ports, Account account, String queue) {
            super("jms-individual-" + queue);
            this.ports = ports;
            this.account = account;
            this.queue = queue;
        }

        @Override
        protected void work() throws JMSException {
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
    public static final class TransactedSubscriber extends Worker {
        private final List<Integer> ports;
        private final Account account;
        private final String topic;
        private final String name;
        private int connections;

        public TransactedSubscriber(List<Integer> ports, Account account, String topic, String name) {
            super(name);
            this.ports = ports;
            this.account = account;
            this.topic = topic;
            this.name = name;
        }

        @Override
        protected void work() throws JMSException {
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
