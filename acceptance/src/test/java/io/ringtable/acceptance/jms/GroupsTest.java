package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Sends;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jakarta Messaging 3.1 section 3.5.9: messages of one JMSXGroupID go to one consumer, in order. */
class GroupsTest extends OnEachEngine {
    private static final int GROUPS = 5;
    private static final int EACH = 60;

    GroupsTest(Engine engine) {
        super(engine);
    }

    @Override
    BrokerSettings settings(BrokerSettings settings) {
        return settings.usualWithSmallWindow();
    }

    private void send(String queue, int from, int to) throws JMSException {
        try (JMSContext context = context()) {
            Sends sends = new Sends();
            JMSProducer producer = context.createProducer().setAsync(sends);
            for (int i = from; i < to; i++) {
                Message message = context.createTextMessage(Integer.toString(i / GROUPS));
                message.setStringProperty("JMSXGroupID", "group " + i % GROUPS);
                producer.send(context.createQueue(queue), message);
            }
            sends.await(to - from);
        }
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }

    /** The next so many, by group. */
    private static Map<String, List<String>> receive(MessageConsumer consumer, int count) throws JMSException {
        Map<String, List<String>> received = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Message message = consumer.receive(COMES_MS);
            assertThat(message).as("message %d of %d", i, count).isNotNull();
            add(received, message);
        }
        return received;
    }

    /** Receives everything that is there for this consumer, by group: a drain marks the end. */
    private static Map<String, List<String>> drain(MessageConsumer consumer) throws JMSException {
        Map<String, List<String>> received = new HashMap<>();
        for (Message message; (message = consumer.receiveNoWait()) != null; ) {
            add(received, message);
        }
        return received;
    }

    private static void add(Map<String, List<String>> received, Message message) throws JMSException {
        received.computeIfAbsent(message.getStringProperty("JMSXGroupID"), id -> new ArrayList<>())
                .add(text(message));
    }

    private static int count(Map<String, List<String>> received) {
        return received.values().stream().mapToInt(List::size).sum();
    }

    @Test
    void eachGroupGoesToOneConsumerInOrderAndToAnotherWhenThatGoes() throws JMSException {
        Connection first = connect();
        Connection second = connect();
        Session session = first.createSession(Session.SESSION_TRANSACTED);
        MessageConsumer one = session.createConsumer(session.createQueue("groups"));
        Session other = second.createSession();
        MessageConsumer two = other.createConsumer(other.createQueue("groups"));
        send("groups", 0, GROUPS * EACH);

        Map<String, List<String>> ofTwo = drain(two);
        Map<String, List<String>> ofOne = drain(one); // and does not commit
        assertThat(ofOne).isNotEmpty();
        assertThat(ofTwo).isNotEmpty();
        assertThat(ofOne.keySet()).doesNotContainAnyElementsOf(ofTwo.keySet());
        assertThat(ofOne.size() + ofTwo.size()).isEqualTo(GROUPS);
        ofTwo.values().forEach(its -> assertThat(its).isEqualTo(numbers(0, EACH)));

        first.close();
        Map<String, List<String>> again = receive(two, count(ofOne));
        assertThat(again.keySet()).isEqualTo(ofOne.keySet());
        again.values().forEach(its -> assertThat(its).isEqualTo(numbers(0, EACH)));
    }

    @Test
    void whatIsRolledBackAndRestsIsNotOvertakenByItsGroup() throws JMSException {
        Session session = connect().createSession(Session.SESSION_TRANSACTED);
        send("resting", 0, 2 * GROUPS);
        MessageConsumer consumer = session.createConsumer(session.createQueue("resting"));
        Message first = consumer.receive(COMES_MS);
        assertThat(first.getStringProperty("JMSXGroupID")).isEqualTo("group 0");
        session.rollback();
        Map<String, List<String>> received = receive(consumer, 2 * GROUPS);
        session.commit();
        assertThat(received).hasSize(GROUPS);
        received.values().forEach(its -> assertThat(its).containsExactly("0", "1"));
    }

    @Test
    void aGroupIsClosedBySequenceMinusOne() throws JMSException {
        Session session = connect().createSession();
        Queue queue = session.createQueue("closed");
        MessageConsumer one = session.createConsumer(queue);
        MessageConsumer two = session.createConsumer(queue);
        MessageProducer producer = session.createProducer(queue);
        for (int i = 0; i < 3; i++) {
            Message message = session.createTextMessage(Integer.toString(i));
            message.setStringProperty("JMSXGroupID", "g");
            message.setIntProperty("JMSXGroupSeq", i == 1 ? -1 : i + 1);
            producer.send(message);
        }
        List<List<String>> received = new ArrayList<>();
        for (MessageConsumer consumer : List.of(one, two)) {
            received.add(drain(consumer).getOrDefault("g", List.of()));
        }
        assertThat(received)
                .as("the consumer after the one that had it is next")
                .containsExactlyInAnyOrder(List.of("0", "1"), List.of("2"));
    }
}
