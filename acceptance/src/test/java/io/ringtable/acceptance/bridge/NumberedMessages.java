package io.ringtable.acceptance.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Jms;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Messages from 0 on, each with a body, a property and an id of its own. Thread: the test's. */
final class NumberedMessages {
    private static final String NUMBER = "number";
    private static final int TRANSACTION = 500;
    private static final int COMES_MS = 60_000;

    private final int count;
    private final Set<String> ids = new HashSet<>();

    NumberedMessages(int count) {
        this.count = count;
    }

    /** Publishes them in transactions, so that each is stored once. */
    void publish(String url, boolean topic, String name) throws JMSException {
        try (Connection connection = Jms.factory(url).createConnection()) {
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            Destination destination = topic ? session.createTopic(name) : session.createQueue(name);
            MessageProducer producer = session.createProducer(destination);
            for (int i = 0; i < count; i++) {
                TextMessage message = session.createTextMessage("body " + i);
                message.setIntProperty(NUMBER, i);
                message.setJMSType("numbered");
                producer.send(message);
                ids.add(message.getJMSMessageID());
                if ((i + 1) % TRANSACTION == 0 || i == count - 1) {
                    session.commit();
                }
            }
        }
    }

    /** Takes everything from a queue, and returns what is missing, twice or changed; empty if all is well. */
    List<String> faults(String url, String queue) throws JMSException {
        List<String> faults = new ArrayList<>();
        BitSet seen = new BitSet(count);
        try (Connection connection = Jms.factory(url).createConnection()) {
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
            connection.start();
            Message message = consumer.receive(COMES_MS);
            for (int i = 1; message != null; i++) {
                check((TextMessage) message, seen, faults);
                if (i % TRANSACTION == 0) {
                    session.commit();
                }
                message = seen.cardinality() < count ? consumer.receive(COMES_MS) : consumer.receiveNoWait();
            }
            session.commit();
        }
        if (seen.cardinality() != count) {
            faults.add(count - seen.cardinality() + " missing, the first " + seen.nextClearBit(0));
        }
        return faults;
    }

    private void check(TextMessage message, BitSet seen, List<String> faults) throws JMSException {
        int number = message.getIntProperty(NUMBER);
        if (seen.get(number)) {
            faults.add("twice: " + number);
        }
        seen.set(number);
        boolean same = message.getText().equals("body " + number)
                && "numbered".equals(message.getJMSType())
                && ids.contains(message.getJMSMessageID());
        if (!same) {
            faults.add("changed: " + message);
        }
        assertThat(faults).as("faults so far").hasSizeLessThan(100);
    }
}
