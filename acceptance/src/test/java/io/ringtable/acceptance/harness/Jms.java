package io.ringtable.acceptance.harness;

import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.qpid.jms.JmsConnectionFactory;

/** A queue seen through Qpid JMS, where nothing waits for ever. */
public final class Jms {
    private static final String OPTIONS =
            "?jms.requestTimeout=30000&jms.sendTimeout=30000&jms.closeTimeout=10000" + "&jms.connectTimeout=10000";
    private static final int RECEIVE_MS = 60_000;

    private Jms() {}

    public static JmsConnectionFactory factory(String url) {
        return new JmsConnectionFactory(url + OPTIONS);
    }

    public static List<String> bodies(int count) {
        return IntStream.range(0, count).mapToObj(n -> "message " + n).toList();
    }

    /** Persistent messages "message 0" and so on; returns when all are accepted. */
    public static void send(String url, String queue, int count) throws JMSException {
        try (Connection connection = factory(url).createConnection()) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue(queue));
            producer.setDeliveryMode(DeliveryMode.PERSISTENT);
            for (String body : bodies(count)) {
                producer.send(session.createTextMessage(body));
            }
        }
    }

    /** Bodies of the next messages, acknowledged; fewer if no more come in time. */
    public static List<String> receive(String url, String queue, int count) throws JMSException {
        List<String> bodies = new ArrayList<>();
        for (Message message : receiveMessages(url, queue, count)) {
            bodies.add(message.getBody(String.class));
        }
        return bodies;
    }

    public static List<Message> receiveMessages(String url, String queue, int count) throws JMSException {
        List<Message> messages = new ArrayList<>();
        try (Connection connection = factory(url).createConnection()) {
            Session session = connection.createSession();
            MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
            connection.start();
            while (messages.size() < count) {
                Message message = consumer.receive(RECEIVE_MS);
                if (message == null) {
                    break;
                }
                messages.add(message);
            }
        }
        return messages;
    }
}
