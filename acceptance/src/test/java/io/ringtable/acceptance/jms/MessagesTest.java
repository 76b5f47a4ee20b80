package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that all parts of a message come back as they were sent: Jakarta Messaging 3.1 chapter 3 and section 6.2.9. */
class MessagesTest extends OnEachEngine {
    private static final int RING = 8_192; // the smallest there is
    private static final int MESSAGE_MAX = 16 * 1024 * 1024; // amqp.max-message-size, all sections together
    private static final int SECTIONS_MAX = 4 * 1024; // what they take beside the body, generously
    private static final long HOUR_MS = 3_600_000;

    MessagesTest(Engine engine) {
        super(engine);
    }

    @Override
    BrokerSettings settings(BrokerSettings defaults) {
        return defaults.usual()
                .with("ringtable.ring.capacity", RING)
                .with("ringtable.commit.batch-messages-max", RING / 4);
    }

    private static List<Body> bodies() {
        List<Body> bodies = new ArrayList<>(Body.ofEveryType());
        bodies.addAll(Body.ofEverySize(MESSAGE_MAX - SECTIONS_MAX));
        return bodies;
    }

    // ---- bodies and properties

    @Test
    void everyBodyComesBackWithEveryKindOfProperty() throws JMSException {
        isReceived("at-once", bodies(), send("at-once", bodies()));
    }

    @Test
    void everyBodyComesBackAfterAKillOfTheBroker() throws JMSException {
        // After a crash the very first message of a ring may come flagged although nobody has seen it.
        send("together.the-very-first", List.of(Body.bytes("one byte", new byte[1])));
        List<Map<String, Object>> sent = send("together.after-a-kill", bodies());
        broker().kill();
        startAgain();
        isReceived("together.after-a-kill", bodies(), sent);
    }

    @Test
    void everyBodyComesBackFromTheBacklog() throws JMSException {
        List<Map<String, Object>> sent = send("together.moved", bodies());
        List<Long> claimed = ofEachShard("next");
        fill(2 * RING);
        int shard = theOneThatHasGoneOn(claimed);
        await().atMost(COMES_MS, TimeUnit.MILLISECONDS)
                .until(() -> ofEachShard("gate").get(shard) >= claimed.get(shard));
        isReceived("together.moved", bodies(), sent);
    }

    /** @return what is to be seen of each beside its body */
    private List<Map<String, Object>> send(String name, List<Body> bodies) throws JMSException {
        List<Map<String, Object>> sent = new ArrayList<>();
        try (Connection connection = Jms.factory(broker().amqpUrl()).createConnection()) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue(name));
            for (Body body : bodies) {
                Message message = body.writer().write(session);
                setProperties(message);
                producer.send(message);
                sent.add(seen(message));
            }
        }
        return sent;
    }

    private void isReceived(String name, List<Body> bodies, List<Map<String, Object>> sent) throws JMSException {
        Session session = connect().createSession();
        MessageConsumer consumer = session.createConsumer(session.createQueue(name));
        for (int i = 0; i < bodies.size(); i++) {
            Body body = bodies.get(i);
            Message message = consumer.receive(COMES_MS);
            assertThat(message).as(body.name()).isInstanceOf(body.type());
            assertThat(typesOf(message)).as(body.name()).isLessThanOrEqualTo(body.type() == Message.class ? 0 : 1);
            assertThat(seen(message)).as(body.name()).isEqualTo(sent.get(i));
            assertThat(message.getIntProperty("JMSXDeliveryCount")).isEqualTo(1);
            // The largest are too large to be printed.
            assertThat(equal(body.reader().read(message), body.content()))
                    .as(body.name())
                    .isTrue();
        }
        assertThat(consumer.receiveNoWait()).isNull();
    }

    private static boolean equal(Object one, Object other) {
        return one == null ? other == null : one.equals(other);
    }

    private static long typesOf(Message message) {
        return Stream.of(
                        TextMessage.class,
                        BytesMessage.class,
                        MapMessage.class,
                        StreamMessage.class,
                        ObjectMessage.class)
                .filter(type -> type.isInstance(message))
                .count();
    }

    private static void setProperties(Message message) throws JMSException {
        message.setBooleanProperty("aBoolean", true);
        message.setBooleanProperty("no", false);
        message.setByteProperty("aByte", Byte.MIN_VALUE);
        message.setShortProperty("aShort", Short.MIN_VALUE);
        message.setIntProperty("anInt", Integer.MIN_VALUE);
        message.setIntProperty("small", 1);
        message.setLongProperty("aLong", Long.MIN_VALUE);
        message.setFloatProperty("aFloat", Float.NaN);
        message.setDoubleProperty("aDouble", Double.POSITIVE_INFINITY);
        message.setStringProperty("aString", Body.TEXT);
        message.setStringProperty("empty", "");
        message.setStringProperty("nothing", null);
        message.setStringProperty("gr\u00f6\u00dfe", "a name in letters of another alphabet");
        message.setStringProperty("aLongString", "x".repeat(300));
        message.setObjectProperty("anObject", Double.MIN_VALUE);
        message.setStringProperty("JMSXGroupID", "group " + Body.TEXT);
        message.setIntProperty("JMSXGroupSeq", Integer.MAX_VALUE);
    }

    /** Every header and property but those that a delivery writes. */
    private static Map<String, Object> seen(Message message) throws JMSException {
        Map<String, Object> seen = new TreeMap<>();
        seen.put("JMSMessageID", message.getJMSMessageID());
        seen.put("JMSTimestamp", message.getJMSTimestamp());
        seen.put("JMSCorrelationID", message.getJMSCorrelationID());
        seen.put("JMSReplyTo", message.getJMSReplyTo());
        seen.put("JMSDestination", message.getJMSDestination());
        seen.put("JMSDeliveryMode", message.getJMSDeliveryMode());
        seen.put("JMSType", message.getJMSType());
        seen.put("JMSExpiration", message.getJMSExpiration());
        seen.put("JMSDeliveryTime", message.getJMSDeliveryTime());
        seen.put("JMSPriority", message.getJMSPriority());
        Enumeration<?> names = message.getPropertyNames();
        for (Object name : Collections.list(names)) {
            if (!name.equals("JMSXDeliveryCount")) {
                seen.put("property " + name, message.getObjectProperty((String) name));
            }
        }
        return seen;
    }

    // ---- headers

    @Test
    void everyHeaderThatAClientMaySetComesBack() throws JMSException {
        Session session = connect().createSession();
        Queue queue = session.createQueue("headers");
        MessageProducer producer = session.createProducer(null);
        Map<String, Map<String, Object>> sent = new HashMap<>();
        for (int priority = 0; priority <= 9; priority++) {
            Message message = session.createTextMessage(Integer.toString(priority));
            Destination replyTo = priority % 2 == 0 ? session.createQueue("replies") : session.createTopic("replies");
            message.setJMSReplyTo(priority == 9 ? null : replyTo);
            message.setJMSType(priority == 8 ? null : "type " + Body.TEXT);
            message.setJMSCorrelationID(priority == 7 ? null : "correlation " + Body.TEXT);
            producer.setDeliveryDelay(priority == 6 ? 1 : 0);
            producer.send(
                    queue,
                    message,
                    priority < 5 ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT,
                    priority,
                    priority * HOUR_MS);
            Map<String, Object> seen = seen(message);
            assertThat(seen).containsEntry("JMSPriority", priority).containsEntry("JMSDestination", queue);
            sent.put(message.getJMSMessageID(), seen);
        }
        MessageConsumer consumer = session.createConsumer(queue);
        Map<String, Map<String, Object>> received = new HashMap<>();
        for (int i = 0; i <= 9; i++) {
            Message message = consumer.receive(COMES_MS);
            assertThat(message.getJMSRedelivered()).isFalse();
            received.put(message.getJMSMessageID(), seen(message));
        }
        assertThat(received).isEqualTo(sent);
    }

    @Test
    void correlationIdsAreTextsMessageIdsOrBytes() throws JMSException {
        Session session = connect().createSession();
        Queue queue = session.createQueue("correlated");
        MessageProducer producer = session.createProducer(queue);
        Message first = session.createMessage();
        producer.send(first);
        Message byId = session.createMessage();
        byId.setJMSCorrelationID(first.getJMSMessageID());
        producer.send(byId);
        Message byBytes = session.createMessage();
        byBytes.setJMSCorrelationIDAsBytes(new byte[] {0, -1, 127});
        producer.send(byBytes);

        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(consumer.receive(COMES_MS).getJMSCorrelationID()).isNull();
        assertThat(consumer.receive(COMES_MS).getJMSCorrelationID()).isEqualTo(first.getJMSMessageID());
        assertThat(consumer.receive(COMES_MS).getJMSCorrelationIDAsBytes()).containsExactly(0, -1, 127);
    }

    @Test
    void aMessageWithoutIdAndTimestampStaysWithout() throws JMSException {
        Session session = connect().createSession();
        Queue queue = session.createQueue("without");
        MessageProducer producer = session.createProducer(queue);
        producer.setDisableMessageID(true);
        producer.setDisableMessageTimestamp(true);
        producer.send(session.createTextMessage("bare"));
        Message received = session.createConsumer(queue).receive(COMES_MS);
        assertThat(received.getJMSMessageID()).isNull();
        assertThat(received.getJMSTimestamp()).isZero();
        assertThat(text(received)).isEqualTo("bare");
    }

    @Test
    void aReceivedMessageIsSentOnAsItIs() throws JMSException {
        List<Map<String, Object>> sent = send("first-leg", Body.ofEveryType());
        Session session = connect().createSession();
        MessageConsumer consumer = session.createConsumer(session.createQueue("first-leg"));
        MessageProducer producer = session.createProducer(session.createQueue("second-leg"));
        for (int i = 0; i < sent.size(); i++) {
            Message message = consumer.receive(COMES_MS);
            producer.send(message);
            sent.set(i, seen(message));
        }
        isReceived("second-leg", Body.ofEveryType(), sent);
    }

    // ---- limits

    @Test
    void aBodyThatLeavesNoRoomForTheOtherSectionsIsRefusedAndTheNextIsNot() throws JMSException {
        Session session = connect().createSession();
        Queue queue = session.createQueue("too-large");
        Message tooLarge =
                Body.bytes("too large", new byte[MESSAGE_MAX]).writer().write(session);
        try (MessageProducer producer = session.createProducer(queue)) {
            assertThatThrownBy(() -> producer.send(tooLarge))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("RT-4044");
        }
        send(session, queue, "small");
        assertThat(drain(queue)).containsExactly("small");
    }

    // ---- the ring

    private List<Long> ofEachShard(String fact) {
        String shards = broker().http("/api/v1/shards").body();
        List<Long> facts = Pattern.compile("\"" + fact + "\":(\\d+)")
                .matcher(shards)
                .results()
                .map(match -> Long.valueOf(match.group(1)))
                .toList();
        assertThat(facts).as("%s in %s", fact, shards).isNotEmpty();
        return facts;
    }

    private int theOneThatHasGoneOn(List<Long> claimed) {
        List<Long> now = ofEachShard("next");
        return IntStream.range(0, now.size())
                .filter(shard -> now.get(shard) - claimed.get(shard) >= 2 * RING)
                .findFirst()
                .orElseThrow();
    }

    /** Lets so many slots be claimed. */
    private void fill(int count) throws JMSException {
        Session session = connect().createSession(Session.SESSION_TRANSACTED);
        MessageProducer producer = session.createProducer(session.createQueue("together.filler"));
        for (int i = 1; i <= count; i++) {
            producer.send(session.createMessage());
            if (i % 1_000 == 0 || i == count) {
                session.commit();
            }
        }
    }
}
