package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.amqp.FrontPeer.Reader;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.EncodingWriter;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients are connected to the node that hands their shard over, in the middle of something (ADR 72). */
@Timeout(180)
class OwnLinksHandoverScenarioTest {
    private static final int SHARDS = 3;
    private static final int MOVED = 0; // the shard
    private static final int NEXT = 1; // the shard to which a queue moves
    private static final int NAMES_MAX = 20; // more than are made before each shard of a node has one
    private static final int PLACES = 10; // in the narrow queue
    private static final int BATCH = 5; // messages, for which the queue has no places
    private static final long WAIT_MS = 60_000;
    private static final String QUEUE_OF_PARTS = "parted.queue";
    private static final String TOPIC_OF_PARTS = "parted.topic";

    @AutoClose
    static TestCluster cluster;

    static TestBroker first; // the owner before and after each test
    static TestBroker second;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TestCluster(TestCluster.withUsers(TestCluster.settings(SHARDS, "3s"))
                .with(
                        "ringtable.dispatch.addresses[0].match",
                        "parted.#",
                        "ringtable.dispatch.addresses[0].parts",
                        SHARDS));
        first = cluster.start("first", "0,2");
        first.awaitOwned(0, 2);
        second = cluster.start("second", "0,1");
        second.awaitOwned(1);
        cluster.awaitSeen();
        try (JMSContext context = TestCluster.ann(first)) {
            context.createConsumer(context.createTopic(TOPIC_OF_PARTS)).close(); // makes all parts, as the next does
            context.createConsumer(context.createQueue(QUEUE_OF_PARTS)).close();
        }
        cluster.awaitKnown(QUEUE_OF_PARTS, SHARDS);
        cluster.awaitKnown(TOPIC_OF_PARTS, SHARDS);
    }

    /** Makes a queue in the shard that moves. */
    private static String queue(FrontPeer peer, org.apache.qpid.protonj2.engine.Session session, String name) {
        for (int i = 0; i < NAMES_MAX; i++) {
            String queue = name + "." + i;
            Sender sender = peer.sender(session, null, queue, queue);
            sender.close();
            peer.await(sender::isRemotelyClosed);
            if (ShardIds.shardOf(first.shard().lookup().find(queue).id()) == MOVED) {
                return queue;
            }
        }
        throw new AssertionError("the first node makes no queue in shard " + MOVED + ": " + first.owned());
    }

    private static void move(TestBroker from, TestBroker to) {
        ShardMove.move(cluster.database, MOVED, from, to, "ann");
    }

    private static OutgoingDelivery sendBatch(Sender sender) {
        EncodingWriter batch = new EncodingWriter();
        IntStream.range(0, BATCH).forEach(i -> BatchFormat.add(batch, Encoded.text("of the batch " + i)));
        OutgoingDelivery delivery = sender.next();
        delivery.setTag(new byte[] {7});
        delivery.setMessageFormat(BatchFormat.CODE);
        delivery.writeBytes(ProtonByteArrayBufferAllocator.wrapped(batch.toBytes()));
        return delivery;
    }

    /** Reads and accepts what is there. */
    private static List<String> read(FrontPeer peer, Reader reader, int count) {
        reader.receiver.addCredit(count);
        int before = reader.deliveries.size();
        peer.await(() -> reader.deliveries.size() == before + count);
        return IntStream.range(before, before + count).mapToObj(reader::accept).toList();
    }

    /** The one has sent a part of a transfer, the other one waits for places in its queue. The shard comes back. */
    @Test
    void transfersThatHaveNoOutcomeGoOnAtTheNextOwner() throws Exception {
        try (FrontPeer peer = FrontPeer.client(first, "ann", "own")) {
            org.apache.qpid.protonj2.engine.Session session = peer.session();
            String wide = queue(peer, session, "wide");
            String full = queue(peer, session, "full");
            Administrator.of(first, "ann").make("/policies/" + full, "{'messagesMax': " + PLACES + "}");
            Sender sender = peer.sender(session, null, "out", wide);
            peer.publish(sender, 3);
            ProtonBuffer whole = ProtonByteArrayBufferAllocator.wrapped(Encoded.text("begun"));
            int half = whole.getReadableBytes() / 2;
            OutgoingDelivery begun = sender.next();
            begun.setTag(new byte[] {1, 1});
            begun.streamBytes(whole.copy(0, half), false);
            org.apache.qpid.protonj2.engine.Session other = peer.session();
            Sender narrow = peer.sender(other, null, "narrow", full);
            peer.publish(narrow, PLACES - BATCH + 1);
            peer.await(() -> narrow.getCredit() > 0);
            OutgoingDelivery batch = sendBatch(narrow);
            peer.session(); // the owner has read all

            move(first, second);
            whole.advanceReadOffset(half);
            begun.streamBytes(whole, true);
            peer.await(() -> begun.getRemoteState() != null);
            assertThat(begun.getRemoteState()).isEqualTo(Accepted.getInstance());
            assertThat(batch.getRemoteState()).isNull();
            Reader ofNarrow = peer.reader(peer.session(), null, "in narrow", full);
            read(peer, ofNarrow, PLACES - BATCH + 1);
            peer.await(() -> batch.getRemoteState() != null);
            assertThat(batch.getRemoteState()).isEqualTo(Accepted.getInstance());
            assertThat(read(peer, ofNarrow, BATCH)).contains("of the batch 0", "of the batch 4");

            Reader reader = peer.reader(peer.session(), null, "in", wide);
            assertThat(read(peer, reader, 3)).containsExactly("0", "1", "2");
            peer.publish(sender, 1);
            move(second, first);
            assertThat(read(peer, reader, 2)).containsExactly("begun", "0");
            peer.publish(sender, 1);
            assertThat(read(peer, reader, 1)).containsExactly("0");
        }
    }

    /** The first message is here when the handover begins. The second one comes behind that, and the commit. */
    @Test
    void aTransactionThatHoldsSomethingIsCommittedHereAndTheNextOneThere() throws Exception {
        try (FrontPeer peer = FrontPeer.client(first, "ann", "tx-reads");
                Connection connection = first.jms("ann", "of ann").createConnection()) {
            org.apache.qpid.protonj2.engine.Session session = peer.session();
            String queue = queue(peer, session, "tx");
            Address address = first.shard().lookup().find(queue);
            Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageProducer producer = transacted.createProducer(transacted.createQueue(queue));
            producer.send(message(transacted, "0"));
            transacted.commit();
            producer.send(message(transacted, "1"));

            ShardMove.begin(cluster.database, MOVED, first, second, "ann");
            await().until(() -> first.shard().refusalFor(address) != null);
            producer.send(message(transacted, "2"));
            transacted.commit();
            producer.send(message(transacted, "3"));
            transacted.commit();

            ShardMove.awaitMoved(cluster.database, MOVED, first, second, "ann");
            Reader reader = peer.reader(session, null, "in", queue);
            assertThat(read(peer, reader, 4)).containsExactly("0", "1", "2", "3");
            move(second, first);
        }
    }

    private static BytesMessage message(Session session, String text) throws JMSException {
        BytesMessage message = session.createBytesMessage();
        message.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        return message;
    }

    @Test
    void aConsumerThatHoldsADeliveryConnectsAgainAndOthersStay() throws Exception {
        try (FrontPeer holding = FrontPeer.client(first, "ann", "holding");
                FrontPeer still = FrontPeer.client(first, "ann", "still")) {
            org.apache.qpid.protonj2.engine.Session session = still.session();
            String held = queue(still, session, "held");
            Sender sender = still.sender(session, null, "out", held);
            still.publish(sender, 1);
            Reader reader = holding.reader(holding.session(), null, "in", held);
            reader.receiver.addCredit(5);
            holding.await(() -> reader.deliveries.size() == 1);
            move(first, second);

            assertThat(holding.closed()).startsWith("amqp:connection:forced RT-4535 shard 0");
            still.publish(sender, 1);
            Reader after = still.reader(still.session(), null, "in", held);
            assertThat(read(still, after, 2)).containsExactly("0", "0");
            move(second, first);
        }
    }

    /** A client that polls, as JMS clients do, settles nothing before its drain has its answer. */
    @Test
    void aDrainIsAnsweredWhileTheClientHoldsADelivery() throws Exception {
        try (FrontPeer peer = FrontPeer.client(first, "ann", "polling")) {
            org.apache.qpid.protonj2.engine.Session session = peer.session();
            String queue = queue(peer, session, "polled");
            Address address = first.shard().lookup().find(queue);
            Sender sender = peer.sender(session, null, "out", queue);
            peer.publish(sender, 1);
            Reader reader = peer.reader(session, null, "in", queue);
            reader.receiver.addCredit(5);
            peer.await(() -> reader.deliveries.size() == 1);

            ShardMove.begin(cluster.database, MOVED, first, second, "ann");
            await().until(() -> first.shard().refusalFor(address) != null);
            reader.receiver.drain();
            peer.await(() -> reader.receiver.getCredit() == 0);
            assertThat(reader.accept(0)).isEqualTo("0");

            ShardMove.awaitMoved(cluster.database, MOVED, first, second, "ann");
            peer.publish(sender, 1);
            assertThat(read(peer, reader, 1)).containsExactly("0");
            move(second, first);
        }
    }

    private static void publishToAllParts() {
        try (JMSContext context = TestCluster.ann(first)) {
            for (int shard = 0; shard < SHARDS; shard++) {
                context.createProducer()
                        .setProperty("JMSXGroupID", first.keyOf(QUEUE_OF_PARTS, shard))
                        .send(context.createQueue(QUEUE_OF_PARTS), new byte[] {1});
            }
        }
    }

    /** Each link begins in the part that moves, and reads those of both nodes. The next owner has not all of them. */
    @Test
    void consumersOfPartsConnectAgainAndReadAllParts() throws Exception {
        Source stored = new Source()
                .setAddress(TOPIC_OF_PARTS)
                .setCapabilities(Symbol.valueOf("topic"))
                .setDurable(TerminusDurability.UNSETTLED_STATE);
        try (FrontPeer ofQueue = FrontPeer.client(first, "ann", "of-queue");
                FrontPeer ofTopic = FrontPeer.client(first, "ann", "of-topic")) {
            Reader reader = ofQueue.reader(ofQueue.session(), null, "in", QUEUE_OF_PARTS);
            reader.receiver.addCredit(SHARDS);
            publishToAllParts();
            ofQueue.await(() -> reader.deliveries.size() == SHARDS); // both nodes serve the link
            IntStream.range(0, SHARDS).forEach(reader::accept);
            ofTopic.reader(ofTopic.session(), null, "stored", stored);

            move(first, second);

            assertThat(ofQueue.closed()).startsWith("amqp:connection:forced RT-4535 shard 0");
            assertThat(ofTopic.closed()).startsWith("amqp:connection:forced RT-4535 shard 0");
        }
        try (FrontPeer again = FrontPeer.client(first, "ann", "of-queue")) {
            Reader reader = again.reader(again.session(), null, "in", QUEUE_OF_PARTS);
            reader.receiver.addCredit(SHARDS);
            publishToAllParts();
            again.await(() -> reader.deliveries.size() == SHARDS);
            IntStream.range(0, SHARDS).forEach(reader::accept);
        }
        move(second, first);
    }

    /**
     * A queue has moved from one node to the other, and both have served the consumer's link. Then the shard of the old
     * home goes too. The client holds a delivery of the next home, which would come twice without a flag on a link that
     * stayed.
     */
    @Test
    void aConsumerOfTwoNodesConnectsAgainWhenItsQueueHasMoved() throws Exception {
        String queue;
        try (FrontPeer peer = FrontPeer.client(first, "ann", "of-moved")) {
            org.apache.qpid.protonj2.engine.Session session = peer.session();
            queue = queue(peer, session, "goes");
            publish(first, queue); // holds the end of the move up
            move(first, second);
            Administrator.of(second, "ann").ask(202, "POST", "/addresses/" + queue + "/move?shard=" + NEXT, null);
            move(second, first);
            cluster.awaitKnown(queue, 2);
            Reader reader = peer.reader(session, null, "in", queue);
            assertThat(read(peer, reader, 1)).containsExactly("0");
            await().until(() ->
                    first.shard().moveOf(queue) == null && second.shard().moveOf(queue) == null);
            publish(second, queue);
            reader.receiver.addCredit(1);
            peer.await(() -> reader.deliveries.size() == 2);

            move(first, second);

            assertThat(peer.closed()).startsWith("amqp:connection:forced RT-4535 shard 0");
        }
        try (JMSContext again = TestCluster.ann(first);
                JMSConsumer consumer = again.createConsumer(again.createQueue(queue))) {
            assertThat(consumer.receive(WAIT_MS).getJMSRedelivered()).isTrue();
            assertThat(consumer.receiveNoWait()).isNull();
        }
        move(second, first);
    }

    private static void publish(TestBroker node, String queue) throws Exception {
        try (FrontPeer peer = FrontPeer.client(node, "ann", "of-" + queue)) {
            peer.publish(peer.sender(peer.session(), null, "out", queue), 1);
        }
    }
}
