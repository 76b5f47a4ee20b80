package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.AmqpFrames;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.RawAmqp;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.junit.jupiter.api.Test;

/**
 * Sends messages again with the same {@code _AMQ_DUPL_ID}, or with the same message id if the policy of their address
 * says so. The broker accepts a repetition and stores nothing.
 */
class DuplicateDetectionTest extends OnEachEngine {
    private static final String ID = "_AMQ_DUPL_ID";
    private static final int WINDOW = 2_000; // ringtable.commit.duplicate-ids

    private static final AmqpFrames FRAMES = new AmqpFrames();

    /** Of every type that AMQP 1.0 section 3.2.11 to 3.2.14 has, the same in bytes as far as that goes. */
    private static final List<Object> IDS = List.of(
            "1",
            new Binary(new byte[] {'1'}),
            UnsignedLong.valueOf(1),
            UnsignedLong.valueOf('1'),
            new Binary(new byte[] {0, 0, 0, 0, 0, 0, 0, 1}),
            new UUID(0, 1),
            new Binary(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}),
            "00000000-0000-0000-0000-000000000001");

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
        startAgain();
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("dup-restart");
            context.createProducer().setProperty(ID, "order-1").send(queue, "the same");
            context.createProducer().setProperty(ID, "order-2").send(queue, "two");
        }
        broker().stop();
        startAgain();
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
            if (i % 1_000 == 0) {
                session.commit(); // no flush on SQL Server takes more than 2,000
            }
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
        Queue inputs = session.createQueue("together.dup-tx-inputs");
        Queue outputs = session.createQueue("together.dup-tx-outputs");
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

    // ---- by message ids, where the policy of the address says so

    @Test
    void byItsMessageIdOfWhateverTypeAMessageIsStoredOnce() throws Exception {
        String queue = "by-message-id.types";
        sendWithIds(queue, "by-name");
        sendWithIds(queue, "again");
        publishWithIds(queue, "through an anonymous link");
        try (JMSContext context = context()) {
            assertThat(drain(context.createQueue(queue)))
                    .hasSize(IDS.size())
                    .allMatch(text -> text.endsWith("by-name"));
        }
        sendWithIds("dup-elsewhere", "one");
        sendWithIds("dup-elsewhere", "two");
        try (JMSContext context = context()) {
            assertThat(drain(context.createQueue("dup-elsewhere"))).hasSize(2 * IDS.size());
        }
    }

    @Test
    void soAreThoseThatComeAgainAfterAKillAndWhatQpidJmsItselfSendsAgain() throws Exception {
        String name = "by-message-id.failover";
        String types = "by-message-id.restart";
        int senders = 8;
        sendWithIds(types, "before the kill");
        AtomicBoolean enough = new AtomicBoolean();
        Semaphore sent = new Semaphore(0);
        List<CompletableFuture<List<String>>> all = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            String prefix = i + "-";
            all.add(CompletableFuture.supplyAsync(
                    () -> sendUntil(enough, prefix, name, sent), task -> new Thread(task).start()));
        }
        assertThat(sent.tryAcquire(100 * senders, COMES_MS, TimeUnit.MILLISECONDS))
                .isTrue();
        broker().kill(); // in the middle of it
        sent.drainPermits();
        startAgain();
        assertThat(sent.tryAcquire(10 * senders, COMES_MS, TimeUnit.MILLISECONDS))
                .isTrue();
        enough.set(true);
        List<String> accepted = new ArrayList<>();
        for (CompletableFuture<List<String>> each : all) {
            accepted.addAll(each.get(COMES_MS, TimeUnit.MILLISECONDS));
        }
        sendWithIds(types, "after it");
        publishWithIds(types, "after it");
        try (JMSContext context = context()) {
            assertThat(drain(context.createQueue(name))).containsExactlyInAnyOrderElementsOf(accepted);
            assertThat(drain(context.createQueue(types)))
                    .hasSize(IDS.size())
                    .allMatch(text -> text.endsWith("before the kill"));
        }
    }

    @Test
    void differentOnesAndThoseWithoutAreStoredAndAnIdThatIsGivenGoesBefore() throws Exception {
        Session session = connect().createSession();
        Queue queue = session.createQueue("by-message-id.jms");
        OnEachEngine.send(session, queue, "same text", "same text");
        try (MessageProducer producer = session.createProducer(queue)) {
            producer.setDisableMessageID(true);
            producer.send(session.createTextMessage("without"));
            producer.send(session.createTextMessage("without"));
        }
        send(session, queue, "order-1", "given");
        send(session, queue, "order-1", "the same, though with another message id");
        assertThat(drain(queue)).containsExactly("same text", "same text", "without", "without", "given");
    }

    /** One message for each id. */
    private void sendWithIds(String queue, String text) {
        try (RawAmqp client = raw()) {
            client.attachSender(0, queue);
            transferWithIds(client, new Properties(), text);
        }
    }

    /** The same by links without a target. */
    private void publishWithIds(String queue, String text) {
        try (RawAmqp client = raw()) {
            client.attachSender(0, new Target());
            transferWithIds(client, new Properties().setTo("queue://" + queue), text);
        }
    }

    private RawAmqp raw() {
        return RawAmqp.socket(broker().amqpPort()).open("ids");
    }

    private static void transferWithIds(RawAmqp client, Properties properties, String text) {
        for (int i = 0; i < IDS.size(); i++) {
            byte[] head = FRAMES.section(properties.setMessageId(IDS.get(i)));
            byte[] body = FRAMES.section(new AmqpValue<>(i + " " + text));
            client.transfer(
                    0,
                    i,
                    ByteBuffer.allocate(head.length + body.length)
                            .put(head)
                            .put(body)
                            .array());
            assertThat(client.expect(Disposition.class).getState()).isInstanceOf(Accepted.class);
        }
    }

    /** @return what was accepted */
    private List<String> sendUntil(AtomicBoolean enough, String prefix, String queue, Semaphore sent) {
        List<String> accepted = new ArrayList<>();
        String url = "failover:(" + broker().amqpUrl() + ")?failover.initialReconnectDelay=20"
                + "&failover.reconnectDelay=20&failover.useReconnectBackOff=false&jms.sendTimeout=60000";
        try (JMSContext context = new JmsConnectionFactory(url).createContext()) {
            JMSProducer producer = context.createProducer();
            while (!enough.get()) {
                String text = prefix + accepted.size();
                producer.send(context.createQueue(queue), text);
                accepted.add(text);
                sent.release();
            }
        }
        return accepted;
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
