package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An owner stands still: nothing comes from it, for its clients, the database and other nodes. The front sees another
 * owner, and gives the relay up long before it has been silent for two leases (ADR 76). The front's lease is the longer
 * one, so that these two events are far apart.
 */
@Timeout(300)
class FrozenOwnerScenarioTest {
    private static final int LOST = 1; // the shard
    private static final long WAIT_MS = 60_000;
    private static final int SMALL_BYTES = 64 * 1024; // what the front takes itself, and less than its owner

    @AutoClose
    private TestCluster cluster;

    @AutoClose
    private DatabaseDoor toOwner;

    private final List<Exception> lost = new CopyOnWriteArrayList<>(); // what clients heard of their connections
    private DatabaseDoor toDatabase; // from the owner, as the next to it
    private TestBroker owner;
    private TestBroker front;

    @BeforeEach
    void startNodes() throws Exception {
        cluster = new TestCluster(TestCluster.settings(2, "10s"));
        toDatabase = cluster.door("owner");
        toOwner = new DatabaseDoor(() -> owner.port());
        String url = "amqp://127.0.0.1:" + toOwner.port();
        owner = cluster.start("owner", "1", "ringtable.lease", "5s", "ringtable.amqp.advertised-url", url);
        owner.awaitOwned(LOST);
        front = cluster.start("front", "0,1", "ringtable.amqp.max-message-size", SMALL_BYTES + "B");
        front.awaitOwned(0);
    }

    /** Makes queues at the owner until so many of them are in its shard, and the front knows them. */
    private List<String> queues(int count) throws Exception {
        List<String> queues = QueuesOf.shard(owner, LOST, count);
        queues.forEach(queue -> cluster.awaitKnown(queue, 1));
        return queues;
    }

    /** Begins a message on one link, and sends one on another, each larger than the front takes. */
    private final class TooLarge {
        private static final String TEXT = "x";

        private final FrontPeer peer;
        private final List<Sender> senders;
        private final OutgoingDelivery begun;
        private OutgoingDelivery whole;

        TooLarge(FrontPeer peer, List<String> queues) throws Exception {
            this.peer = peer;
            this.senders = queues.stream()
                    .map(queue -> peer.sender(peer.session(), null, "large to " + queue, queue))
                    .toList();
            this.begun = peer.begin(senders.get(0), TEXT.repeat(2 * SMALL_BYTES));
            await().until(() -> LinksOf.queue(front, queues.get(0)).stream().anyMatch(link -> link.unsettled() > 1));
        }

        void sendWhole() {
            whole = peer.send(senders.get(1), TEXT.repeat(2 * SMALL_BYTES));
        }

        void assertRefused() {
            peer.end(begun);
            for (OutgoingDelivery each : List.of(begun, whole)) {
                assertThat(peer.outcome(each))
                        .isInstanceOfSatisfying(
                                Rejected.class,
                                rejected -> assertThat(rejected.getError().getDescription())
                                        .startsWith("RT-4044 "));
            }
            senders.forEach(sender -> peer.publish(sender, 1));
        }
    }

    @Test
    void theFrontSendsNoMoreToAnOwnerOnceItSeesAnotherOne() throws Exception {
        List<String> queues = queues(5);
        try (Connection idle = connect();
                Connection later = connect();
                FrontPeer publishing = FrontPeer.client(front, "ann", "publishing")) {
            Session ofIdle = idle.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue first = ofIdle.createQueue(queues.get(0));
            MessageProducer producer = ofIdle.createProducer(first);
            MessageConsumer consumer = ofIdle.createConsumer(first);
            Session ofLater = later.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue second = ofLater.createQueue(queues.get(1));
            MessageProducer toSecond = ofLater.createProducer(second);
            MessageProducer toAny = ofLater.createProducer(null);
            toAny.send(second, ofLater.createTextMessage("before"));
            Sender waiting = publishing.sender(publishing.session(), null, "to", queues.get(2));

            TooLarge tooLarge = new TooLarge(publishing, queues.subList(3, 5));

            toOwner.fallSilent();
            tooLarge.sendWhole();
            OutgoingDelivery sent = publishing.send(waiting, "without an outcome");
            await().until(() -> LinksOf.queue(front, queues.get(2)).stream()
                    .anyMatch(link -> link.messages() == 1)); // it has left for the owner
            toDatabase.fallSilent();
            await().until(this::seesItself);
            LinksOf.all(front); // each event loop has heard of that look

            toSecond.send(ofLater.createTextMessage("of the one that waits"));
            toAny.send(second, ofLater.createTextMessage("of the other one that waits"));
            producer.send(ofIdle.createTextMessage("after"));
            assertThat(receive(consumer)).isEqualTo("after");
            MessageConsumer ofSecond = ofLater.createConsumer(second);
            later.start();
            assertThat(receive(ofSecond)).isEqualTo("before");
            assertThat(receive(ofSecond)).isEqualTo("of the one that waits");
            assertThat(receive(ofSecond)).isEqualTo("of the other one that waits");
            assertThat(publishing.outcome(sent)).isEqualTo(Accepted.getInstance());
            tooLarge.assertRefused();
            publishing.send(waiting, "the next one");
            FrontPeer.Reader ofThird = publishing.reader(publishing.session(), null, "from", queues.get(2));
            ofThird.receiver.addCredit(2);
            publishing.await(() -> ofThird.deliveries.size() == 2);
            assertThat(ofThird.accept(0)).isEqualTo("without an outcome");
            assertThat(ofThird.accept(1)).isEqualTo("the next one");
        }
        assertThat(lost).isEmpty();
    }

    /** Tells whether the front has seen that it owns the shard itself. */
    private boolean seesItself() {
        return front.status().nodes().nodes().stream()
                .filter(NodesStatus.Node::self)
                .flatMap(node -> node.shards().stream())
                .anyMatch(shard -> shard.shard() == LOST);
    }

    private Connection connect() throws JMSException {
        Connection connection = front.jms().createConnection();
        connection.setExceptionListener(lost::add);
        connection.start();
        return connection;
    }

    private static String receive(MessageConsumer consumer) throws JMSException {
        return ((TextMessage) consumer.receive(WAIT_MS)).getText();
    }
}
