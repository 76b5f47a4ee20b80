package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.store.postgresql.DatabaseDoor;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The owner of a shard loses its lease, and clients of another node keep their connections (ADR 76, ADR 84). */
@Timeout(300)
class OwnerLossScenarioTest {
    private static final int LOST = 3; // the shard
    private static final long WAIT_MS = 60_000;
    private static final int SENT = 20; // messages to each of two queues on one link, as the owner is lost
    private static final int AT_BOTH_ENDS = 2; // a transfer that has begun counts as waiting and as passed on

    @AutoClose
    private TestCluster nodes;

    private final List<Exception> lost = new CopyOnWriteArrayList<>(); // what clients heard of their connections
    private DatabaseDoor ofOwner; // its way to the database

    @BeforeEach
    void startNodes() throws Exception {
        nodes = new TestCluster(TestCluster.settings(4, "3s"));
        ofOwner = nodes.door("b");
        nodes.start("b", "1,3").awaitOwned(1, LOST);
        nodes.start("a", "0").awaitOwned(0);
        nodes.start("c", "2,3").awaitOwned(2);
        nodes.awaitSeen();
    }

    /** Makes queues at the owner until so many of them are in the shard that it loses, and the front knows them. */
    private List<String> queues(int count) throws Exception {
        TestBroker owner = nodes.node("b");
        List<String> queues = QueuesOf.shard(owner, LOST, count);
        await().until(() -> queues.stream()
                .allMatch(queue -> nodes.node("a").shard().lookup().find(queue) != null));
        return queues;
    }

    private Connection connect() throws JMSException {
        Connection connection = nodes.node("a").jms().createConnection();
        connection.setExceptionListener(lost::add);
        connection.start();
        return connection;
    }

    private static TextMessage receive(MessageConsumer consumer) throws JMSException {
        return (TextMessage) consumer.receive(WAIT_MS);
    }

    @Test
    void clientsOfAnotherNodeKeepTheirConnectionsAndWhatHasNoOutcomeIsStoredOnce() throws Exception {
        List<String> queues = queues(7);
        try (Connection idle = connect();
                Connection holding = connect();
                Connection transacted = connect();
                JMSContext context = nodes.node("a").jms().createContext();
                FrontPeer publishing = FrontPeer.client(nodes.node("a"), "ann", "publishing")) {
            Session ofIdle = idle.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue first = ofIdle.createQueue(queues.get(0));
            MessageProducer producer = ofIdle.createProducer(first);
            MessageProducer toAny = ofIdle.createProducer(null);
            MessageConsumer consumer = ofIdle.createConsumer(first);
            producer.send(ofIdle.createTextMessage("before"));
            toAny.send(first, ofIdle.createTextMessage("before too"));
            assertThat(receive(consumer).getText()).isEqualTo("before");
            assertThat(receive(consumer).getText()).isEqualTo("before too");

            Session ofHolding = holding.createSession(false, Session.CLIENT_ACKNOWLEDGE);
            Queue second = ofHolding.createQueue(queues.get(1));
            MessageConsumer holder = ofHolding.createConsumer(second);
            producerTo(ofHolding, second, "held");
            TextMessage held = receive(holder);
            assertThat(held.getJMSRedelivered()).isFalse();

            Session ofTransacted = transacted.createSession(true, Session.SESSION_TRANSACTED);
            Queue third = ofTransacted.createQueue(queues.get(2));
            MessageProducer inTransactions = ofTransacted.createProducer(third);
            inTransactions.send(ofTransacted.createTextMessage("committed"));
            ofTransacted.commit();
            inTransactions.send(ofTransacted.createTextMessage("rolled back"));

            Sender begun = publishing.sender(publishing.session(), null, "to", queues.get(3));
            OutgoingDelivery inParts = publishing.begin(begun, "in parts");
            await().until(() -> LinksOf.queue(nodes.node("a"), queues.get(3)).stream()
                    .anyMatch(link -> link.unsettled() == AT_BOTH_ENDS));

            Sender ahead = publishing.sender(publishing.session(), null, "ahead", queues.get(4));
            OutgoingDelivery stored = publishing.send(ahead, "0");
            assertThat(publishing.outcome(stored)).isEqualTo(Accepted.getInstance());

            context.setExceptionListener(lost::add);
            List<Queue> ofContext =
                    queues.subList(5, 7).stream().map(context::createQueue).toList();
            ofContext.forEach(queue -> context.createProducer().send(queue, bytes(0)));

            ofOwner.fallSilent();
            SentLater sentLater = new SentLater();
            for (int i = 1; i <= SENT; i++) {
                byte[] number = bytes(i);
                ofContext.forEach(
                        queue -> context.createProducer().setAsync(sentLater).send(queue, number));
            }
            OutgoingDelivery one = publishing.send(ahead, "1");
            OutgoingDelivery refused = publishing.sendMalformed(ahead);
            OutgoingDelivery two = publishing.send(ahead, "2");
            OutgoingDelivery three = publishing.send(ahead, "3");
            nodes.node("c").awaitOwned(2, LOST);
            await().until(() -> !LinksOf.all(nodes.node("c")).isEmpty());

            producer.send(ofIdle.createTextMessage("after"));
            toAny.send(first, ofIdle.createTextMessage("after too"));
            assertThat(nextNew(consumer).getText()).isEqualTo("after");
            assertThat(receive(consumer).getText()).isEqualTo("after too");

            TextMessage again = receive(holder);
            assertThat(again.getText()).isEqualTo("held");
            assertThat(again.getJMSRedelivered()).isTrue();
            held.acknowledge(); // of both
            producerTo(ofHolding, second, "next");
            TextMessage next = receive(holder);
            assertThat(next.getText()).isEqualTo("next");
            next.acknowledge();

            assertThatThrownBy(ofTransacted::commit).hasMessageContaining("amqp:transaction:rollback");
            inTransactions.send(ofTransacted.createTextMessage("committed too"));
            ofTransacted.commit();
            MessageConsumer ofThird = ofIdle.createConsumer(third);
            assertThat(receive(ofThird).getText()).isEqualTo("committed");
            assertThat(receive(ofThird).getText()).isEqualTo("committed too");

            publishing.end(inParts);
            for (OutgoingDelivery each : List.of(one, two, three, inParts)) {
                assertThat(publishing.outcome(each)).isEqualTo(Accepted.getInstance());
            }
            assertThat(publishing.outcome(refused)).isInstanceOf(Rejected.class);
            assertThat(texts(publishing, queues.get(3), 1)).containsExactly("in parts");
            assertThat(texts(publishing, queues.get(4), 4)).containsExactly("0", "1", "2", "3");

            await().until(() -> sentLater.answers.get() == 2 * SENT);
            assertThat(sentLater.failures).isEmpty();
            for (Queue queue : ofContext) {
                assertThat(texts(publishing, queue.getQueueName(), SENT + 1))
                        .containsExactlyElementsOf(IntStream.rangeClosed(0, SENT)
                                .mapToObj(String::valueOf)
                                .toList());
            }
        }
        assertThat(lost).isEmpty();
    }

    private static byte[] bytes(int number) {
        return String.valueOf(number).getBytes(StandardCharsets.US_ASCII);
    }

    /** Hears what became of messages that nobody waits for. */
    private static final class SentLater implements CompletionListener {
        final AtomicInteger answers = new AtomicInteger();
        final List<Exception> failures = new CopyOnWriteArrayList<>();

        @Override
        public void onCompletion(Message message) {
            answers.incrementAndGet();
        }

        @Override
        public void onException(Message message, Exception failure) {
            failures.add(failure);
            answers.incrementAndGet();
        }
    }

    /** Returns what is in a queue, of which so much is there. */
    private static List<String> texts(FrontPeer peer, String queue, int count) {
        FrontPeer.Reader reader = peer.reader(peer.session(), null, "of " + queue, queue);
        reader.receiver.drain(2 * count);
        peer.await(() -> !reader.receiver.isDraining());
        return IntStream.range(0, reader.deliveries.size())
                .mapToObj(reader::accept)
                .toList();
    }

    private static void producerTo(Session session, Queue queue, String text) throws JMSException {
        try (MessageProducer producer = session.createProducer(queue)) {
            producer.send(session.createTextMessage(text));
        }
    }

    /** Receives up to a message that has not come before. Others come again, flagged: their settlement was lost. */
    private static TextMessage nextNew(MessageConsumer consumer) throws JMSException {
        TextMessage message = receive(consumer);
        while (message.getJMSRedelivered()) {
            message = receive(consumer);
        }
        return message;
    }
}
