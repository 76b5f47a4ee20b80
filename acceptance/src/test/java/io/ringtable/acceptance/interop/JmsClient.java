package io.ringtable.acceptance.interop;

import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;

/** Qpid JMS. */
final class JmsClient implements Client {
    private static final int RECEIVE_MS = 60_000;

    private final JmsConnectionFactory factory;

    JmsClient(String url) {
        factory = new JmsConnectionFactory(url);
    }

    @Override
    public void send(String kind, String address, int count, String prefix) throws JMSException {
        try (Connection connection = factory.createConnection()) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(destination(session, kind, address));
            producer.setDeliveryMode(DeliveryMode.PERSISTENT);
            for (int n = 0; n < count; n++) {
                TextMessage message = session.createTextMessage(prefix + " " + n);
                message.setIntProperty("n", n);
                producer.send(message);
            }
        }
    }

    @Override
    public List<Received> receive(String kind, String address, int count) throws JMSException {
        try (Connection connection = factory.createConnection()) {
            Session session = connection.createSession();
            connection.start();
            return take(session.createConsumer(destination(session, kind, address)), count);
        }
    }

    @Override
    public void subscribe(String topic, String containerId, String name) throws JMSException {
        try (Connection connection = factory.createConnection()) {
            connection.setClientID(containerId);
            Session session = connection.createSession();
            session.createDurableConsumer(session.createTopic(topic), name).close();
        }
    }

    @Override
    public List<Received> resume(String topic, String containerId, String name, int count) throws JMSException {
        try (Connection connection = factory.createConnection()) {
            connection.setClientID(containerId);
            Session session = connection.createSession();
            connection.start();
            return take(session.createDurableConsumer(session.createTopic(topic), name), count);
        }
    }

    private static List<Received> take(MessageConsumer consumer, int count) throws JMSException {
        List<Received> received = new ArrayList<>();
        while (received.size() < count) {
            Message message = consumer.receive(RECEIVE_MS);
            if (message == null) {
                throw new IllegalStateException(received.size() + " of " + count + " messages came: " + received);
            }
            received.add(new Received(message.getBody(String.class), (int) message.getLongProperty("n")));
        }
        consumer.close();
        return received;
    }

    private static Destination destination(Session session, String kind, String address) throws JMSException {
        return kind.equals("topic") ? session.createTopic(address) : session.createQueue(address);
    }
}
