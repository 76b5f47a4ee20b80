package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.Engine;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import org.junit.jupiter.api.Test;

/** A message that comes again with the same {@code _AMQ_DUPL_ID} is accepted and stored nowhere, as with ActiveMQ Artemis. */
class DuplicateDetectionTest extends OnEachEngine {
    private static final String ID = "_AMQ_DUPL_ID";
    private static final int WINDOW = 2_000; // ringtable.commit.duplicate-ids

    DuplicateDetectionTest(Engine engine) {
        super(engine);
    }

    @Test
    void aMessageThatIsSentAgainIsStoredOnce() throws Exception {
        Session session = connect().createSession();
        Queue queue = session.createQueue("dup-again");
        send(session, queue, "order-1", "one");
        send(session, queue, "order-1", "the same again");
        send(session, queue, "order-2", "two");
        send(session, queue, null, "none");
        send(session, queue, null, "none");
        assertThat(drain(queue)).containsExactly("one", "two", "none", "none");
        send(session, queue, "order-1", "the same, though it was received long ago");
        assertThat(drain(queue)).isEmpty();
    }

    @Test
    void alsoByAnotherProducerAndThroughAnAnonymousOne() throws Exception {
        Session session = connect().createSession();
        Queue queue = session.createQueue("dup-others");
        send(session, queue, "order-1", "one");
        try (JMSContext context = context()) {
            context.createProducer().setProperty(ID, "order-1").send(queue, "the same");
            context.createProducer().setProperty(ID, "order-2").send(queue, "two");
        }
        assertThat(drain(queue)).containsExactly("one", "two");
    }

    @Test
    void alsoAfterTheBrokerWasKilledOrStopped() throws Exception {
        try (JMSContext context = context()) {
            context.createProducer().setProperty(ID, "order-1").send(context.createQueue("dup-restart"), "one");
        }
        broker().kill();
        broker().start();
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("dup-restart");
            context.createProducer().setProperty(ID, "order-1").send(queue, "the same");
            context.createProducer().setProperty(ID, "order-2").send(queue, "two");
        }
        broker().stop();
        broker().start();
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("dup-restart");
            context.createProducer().setProperty(ID, "order-1").send(queue, "the same");
            context.createProducer().setProperty(ID, "order-2").send(queue, "the same");
            assertThat(drain(queue)).containsExactly("one", "two");
        }
    }

    @Test
    void beyondTheWindowItIsStoredAgain() throws Exception {
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("dup-window");
        send(session, queue, "first", "first");
        for (int i = 1; i < WINDOW; i++) {
            send(session, queue, "order-" + i, "filler");
        }
        send(session, queue, "first", "still in the window");
        session.commit();
        send(session, queue, "order-" + WINDOW, "filler");
        send(session, queue, "first", "beyond");
        session.commit();
        assertThat(drain(queue)).hasSize(WINDOW + 2).startsWith("first").endsWith("filler", "beyond");
    }

    @Test
    void ofATransactionTheDuplicateIsLeftOutAndTheRestIsCommitted() throws Exception {
        Session session = connect().createSession(true, Session.SESSION_TRANSACTED);
        Queue inputs = session.createQueue("dup-tx-inputs");
        Queue outputs = session.createQueue("dup-tx-outputs");
        send(session, inputs, null, "input");
        send(session, outputs, "output-1", "one");
        session.commit();
        try (MessageConsumer consumer = session.createConsumer(inputs)) {
            assertThat(text(consumer.receive(COMES_MS))).isEqualTo("input");
            send(session, outputs, "output-1", "the same");
            send(session, outputs, "output-2", "two");
            session.rollback();
            assertThat(text(consumer.receive(COMES_MS))).isEqualTo("input");
            send(session, outputs, "output-1", "the same");
            send(session, outputs, "output-2", "two");
            session.commit();
        }
        assertThat(drain(outputs)).containsExactly("one", "two");
        assertThat(drain(inputs)).isEmpty();
    }

    @Test
    void everySubscriptionOfATopicGetsItOnce() throws Exception {
        String name = "dup-topic";
        Session session = connect("dup-client").createSession();
        Topic topic = session.createTopic(name);
        MessageConsumer durable = session.createDurableConsumer(topic, "durable");
        MessageConsumer volatileOne = session.createConsumer(topic);
        try (MessageProducer producer = session.createProducer(topic)) {
            for (String text : new String[] {"one", "the same"}) {
                Message message = session.createTextMessage(text);
                message.setStringProperty(ID, "order-1");
                producer.send(message);
            }
            producer.send(session.createTextMessage("end"));
        }
        for (MessageConsumer consumer : new MessageConsumer[] {durable, volatileOne}) {
            assertThat(text(consumer.receive(COMES_MS))).isEqualTo("one");
            assertThat(text(consumer.receive(COMES_MS))).isEqualTo("end");
        }
    }

    @Test
    void anIdThatIsNoneIsRefused() {
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("dup-none");
            for (Object id : new Object[] {"", "x".repeat(401), 4711}) {
                assertThatThrownBy(() ->
                                context.createProducer().setProperty(ID, id).send(queue, "refused"))
                        .isInstanceOf(JMSRuntimeException.class)
                        .hasMessageContaining(ID);
            }
            assertThat(drain(queue)).isEmpty();
        }
    }

    private static void send(Session session, Queue queue, String id, String text) throws JMSException {
        try (MessageProducer producer = session.createProducer(queue)) {
            TextMessage message = session.createTextMessage(text);
            if (id != null) {
                message.setStringProperty(ID, id);
            }
            producer.send(message);
        }
    }
}
