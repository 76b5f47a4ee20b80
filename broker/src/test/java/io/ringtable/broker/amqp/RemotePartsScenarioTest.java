package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.EncodingWriter;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Publishers at any node of a cluster reach all parts of a queue (ADR 81). Two nodes have two parts each, and a third
 * one has none.
 * <p>Longer than others, because all tests share the three nodes.
 */
@Timeout(180)
class RemotePartsScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int SHARDS = 5;
    private static final int PARTS = 4;
    private static final int OF_NONE = 4; // the shard of the node without a part
    private static final int KEYS = 12;
    private static final String DEAD = "DLQ";
    private static final int PLACES = 400; // in each part of the narrow queue
    private static final int CREDIT = 40; // of a link

    @AutoClose
    static TestCluster cluster;

    static TestBroker one; // has the parts in shards 0 and 1
    static TestBroker other; // has the parts in shards 2 and 3
    static TestBroker none;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TestCluster(TestCluster.settings(SHARDS, "6s")
                .with("ringtable.amqp.link-credit", CREDIT)
                .with(
                        "ringtable.dispatch.addresses[0].match",
                        "narrow",
                        "ringtable.dispatch.addresses[0].parts",
                        PARTS,
                        "ringtable.dispatch.addresses[0].messages-max",
                        PLACES,
                        "ringtable.dispatch.addresses[1].match",
                        "queue.#",
                        "ringtable.dispatch.addresses[1].parts",
                        1,
                        "ringtable.dispatch.addresses[2].match",
                        DEAD,
                        "ringtable.dispatch.addresses[2].parts",
                        1,
                        "ringtable.dispatch.addresses[3].match",
                        "#",
                        "ringtable.dispatch.addresses[3].parts",
                        PARTS));
        one = cluster.start("one", "0,1");
        other = cluster.start("other", "2,3");
        none = cluster.start("none", String.valueOf(OF_NONE));
        one.awaitOwned(0, 1);
        other.awaitOwned(2, 3);
        none.awaitOwned(OF_NONE);
        QueuesOf.shard(none, OF_NONE, 20); // so that its shard has the most addresses
        List<String> queues = List.of("keys", "batch", "tx", "narrow", "slow", "settled", "turns", "asked");
        try (JMSContext context = one.jms().createContext()) {
            queues.forEach(queue -> context.createProducer().send(context.createQueue(queue), "first"));
            queues.forEach(RemotePartsScenarioTest::awaitKnown);
            queues.forEach(
                    queue -> context.createConsumer(context.createQueue(queue)).receive(WAIT_MS));
        }
    }

    // ---- parts and keys

    private static void awaitKnown(String queue) {
        cluster.awaitKnown(queue, PARTS);
        for (TestBroker node : cluster.nodes()) {
            assertThat(node.shard().partsOf(node.shard().lookup().find(queue)).all())
                    .extracting(part -> ShardIds.shardOf(part.id()))
                    .containsExactly(0, 1, 2, 3);
        }
    }

    private static String key(String queue, int shard) {
        return one.keyOf(queue, shard);
    }

    private static int stored(TestBroker node, String queue, int shard) {
        Address any = node.shard().lookup().find(queue);
        return (int) node.shard().homesOf(any).stream()
                .filter(home -> home.number() == shard)
                .mapToLong(home -> home.lookup()
                        .owedBy(home.lookup().readerOf(home.lookup().find(queue))))
                .sum();
    }

    private static Message keyed(Session session, String key, String text) throws JMSException {
        Message message = session.createTextMessage(text);
        message.setStringProperty("JMSXGroupID", key);
        return message;
    }

    private static void send(JMSContext context, JMSProducer producer, String queue, String key, String text) {
        producer.setProperty("JMSXGroupID", key).send(context.createQueue(queue), text);
    }

    /** Reads all that a queue has, at the node that serves it from its own parts and from the other ones. */
    private static List<String> read(String queue, int count) {
        List<String> texts = new ArrayList<>();
        try (JMSContext context = one.jms().createContext();
                JMSConsumer consumer = context.createConsumer(context.createQueue(queue))) {
            for (int i = 0; i < count; i++) {
                texts.add(consumer.receiveBody(String.class, WAIT_MS));
            }
            assertThat(consumer.receiveNoWait()).isNull();
        }
        return texts;
    }

    // ---- keys

    /** Publishes each key at each node, on a link of its own and on one without a target, in turns. */
    @Test
    void keysOfAllPartsComeOnceAndInOrderFromEachNode() {
        String queue = "keys";
        int rounds = 10;
        SendOutcomes outcomes = new SendOutcomes();
        List<JMSContext> contexts = new ArrayList<>();
        for (TestBroker node : cluster.nodes()) {
            JMSContext context = node.jms().createContext();
            contexts.add(context);
            JMSProducer producer = context.createProducer().setAsync(outcomes);
            for (int round = 0; round < rounds; round++) {
                for (int key = 0; key < KEYS; key++) {
                    send(context, producer, queue, "key" + key, contexts.size() + ".key" + key + " " + round);
                }
            }
        }
        int all = contexts.size() * rounds * KEYS;
        await().until(() -> outcomes.accepted.get() + outcomes.refused.size() == all);
        assertThat(outcomes.refused).isEmpty();
        for (int shard = 0; shard < PARTS; shard++) {
            assertThat(stored(shard < 2 ? one : other, queue, shard)).isPositive();
        }
        Map<String, List<Integer>> byKey = new TreeMap<>();
        read(queue, all)
                .forEach(text -> byKey.computeIfAbsent(text.split(" ")[0], any -> new ArrayList<>())
                        .add(Integer.valueOf(text.split(" ")[1])));
        assertThat(byKey).hasSize(contexts.size() * KEYS);
        assertThat(byKey.values())
                .allSatisfy(numbers -> assertThat(numbers)
                        .isEqualTo(IntStream.range(0, rounds).boxed().toList()));
        contexts.forEach(JMSContext::close);
    }

    /** JMS names the address in the attach here, and clients of the node without a part make a queue. */
    @Test
    void aNodeWithoutAPartMakesAQueueAndReachesAllParts() throws Exception {
        for (int i = 0; i < 2; i++) {
            String queue = "made." + i;
            boolean isAnonymous = i == 1;
            try (Connection connection = none.jms().createConnection()) {
                Session session = connection.createSession();
                Queue to = session.createQueue(queue);
                MessageProducer producer = session.createProducer(isAnonymous ? null : to);
                SendOutcomes outcomes = new SendOutcomes();
                for (int key = 0; key < KEYS; key++) {
                    Message message = keyed(session, "key" + key, "of key" + key);
                    if (isAnonymous) {
                        producer.send(to, message, outcomes);
                    } else {
                        producer.send(message, outcomes);
                    }
                }
                await().until(() -> outcomes.accepted.get() + outcomes.refused.size() == KEYS);
                assertThat(outcomes.refused).isEmpty();
                Message message = session.createTextMessage("of no key");
                if (isAnonymous) {
                    producer.send(to, message);
                } else {
                    producer.send(message);
                }
            }
            awaitKnown(queue);
            for (int shard = 0; shard < PARTS; shard++) {
                assertThat(stored(shard < 2 ? one : other, queue, shard)).isPositive();
            }
            assertThat(read(queue, KEYS + 1)).contains("of no key", "of key0", "of key11");
        }
    }

    @Test
    void anOperatorsMessageGoesToThePartOfItsGroup() {
        String queue = "asked";
        List<TestBroker> nodes = cluster.nodes();
        for (TestBroker node : nodes) {
            for (int shard = 0; shard < PARTS; shard++) {
                String key = key(queue, shard);
                Administrator.of(node, "")
                        .ask(
                                200,
                                "POST",
                                "/addresses/" + queue + "/messages",
                                "{'body': 'asked', 'properties': {'groupId': '" + key + "'}}");
            }
        }
        for (int shard = 0; shard < PARTS; shard++) {
            assertThat(stored(shard < 2 ? one : other, queue, shard)).isEqualTo(nodes.size());
        }
        read(queue, nodes.size() * PARTS);
    }

    /** Every shard has a part of this queue, and clients publish to the first one alone. */
    @Test
    void messagesForTheQueueOfDeadLettersGoToItsFirstPart() {
        int count = 0;
        for (TestBroker node : List.of(other, none)) {
            try (JMSContext context = node.jms().createContext()) {
                JMSProducer producer = context.createProducer();
                send(context, producer, DEAD, "key" + count++, "a letter");
                send(context, producer, DEAD, "key" + count++, "another one");
            }
        }
        assertThat(stored(one, DEAD, 0)).isEqualTo(count);
        assertThat(read(DEAD, count)).contains("a letter", "another one");
    }

    // ---- transfers

    private static byte[] ofGroup(String key, String text) {
        Properties properties = new Properties();
        properties.setGroupId(key);
        return Encoded.message(properties, new AmqpValue<>(text));
    }

    private static OutgoingDelivery transfer(Sender sender, int number, int format, boolean settled, byte[] bytes) {
        OutgoingDelivery delivery = sender.next();
        delivery.setTag(new byte[] {(byte) (number >> 8), (byte) number});
        delivery.setMessageFormat(format);
        if (settled) {
            delivery.settle();
        }
        delivery.writeBytes(ProtonByteArrayBufferAllocator.wrapped(bytes));
        return delivery;
    }

    private static byte[] batch(String queue, int ofEach, int... shards) {
        EncodingWriter batch = new EncodingWriter();
        for (int i = 0; i < ofEach; i++) {
            for (int shard : shards) {
                BatchFormat.add(batch, ofGroup(key(queue, shard), shard + " " + i));
            }
        }
        return batch.toBytes();
    }

    @Test
    void aBatchOverPartsOfBothNodesHasOneOutcome() throws Exception {
        String queue = "batch";
        for (TestBroker node : List.of(one, none)) {
            try (FrontPeer peer = FrontPeer.client(node, "ann", "batches")) {
                Sender sender = peer.sender(peer.session(), null, "out", queue);
                OutgoingDelivery batch = transfer(sender, 1, BatchFormat.CODE, false, batch(queue, 3, 0, 1, 2, 3));
                peer.await(() -> batch.getRemoteState() != null);
                assertThat(batch.getRemoteState()).isEqualTo(Accepted.getInstance());
                OutgoingDelivery ofOne = transfer(sender, 2, BatchFormat.CODE, false, batch(queue, 1, 3));
                peer.await(() -> ofOne.getRemoteState() != null);
                assertThat(ofOne.getRemoteState()).isEqualTo(Accepted.getInstance());
            }
            for (int shard = 0; shard < PARTS; shard++) {
                assertThat(stored(shard < 2 ? one : other, queue, shard)).isEqualTo(shard == 3 ? 4 : 3);
            }
            List<String> texts = read(queue, 3 * PARTS + 1);
            assertThat(texts.stream().filter(text -> text.startsWith("2"))).containsExactly("2 0", "2 1", "2 2");
        }
    }

    @Test
    void settledTransfersAndLargeOnesGoToTheirParts() throws Exception {
        String queue = "settled";
        String large = "x".repeat(300_000); // several frames
        try (FrontPeer peer = FrontPeer.client(one, "ann", "settles")) {
            Sender sender = peer.sender(peer.session(), null, "out", queue);
            transfer(sender, 1, 0, true, ofGroup(key(queue, 2), "settled"));
            OutgoingDelivery last = transfer(sender, 2, 0, false, ofGroup(key(queue, 2), large));
            peer.await(() -> last.getRemoteState() != null);
            assertThat(last.getRemoteState()).isEqualTo(Accepted.getInstance());
        }
        assertThat(stored(other, queue, 2)).isEqualTo(2);
        assertThat(read(queue, 2)).containsExactly("settled", large);
    }

    // ---- transactions

    @Test
    void aTransactionHasKeysOfOneNode() throws Exception {
        String queue = "tx";
        try (Connection connection = one.jms().createConnection()) {
            connection.start();
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageProducer producer = session.createProducer(session.createQueue(queue));
            for (int shard = 0; shard < PARTS; shard++) {
                producer.send(keyed(session, key(queue, shard), shard + " 0"));
                producer.send(keyed(session, key(queue, shard), shard + " 1"));
                session.commit();
            }
            producer.send(keyed(session, key(queue, 3), "rolled back"));
            session.rollback();
            for (int[] two : new int[][] {{0, 2}, {2, 0}}) {
                producer.send(keyed(session, key(queue, two[0]), "of two nodes"));
                producer.send(keyed(session, key(queue, two[1]), "of two nodes"));
                assertThatThrownBy(session::commit).hasMessageContaining("RT-4567");
            }
            producer.send(keyed(session, key(queue, 2), "of two shards"));
            producer.send(keyed(session, key(queue, 3), "of two shards"));
            assertThatThrownBy(session::commit).hasMessageContaining("RT-4523");
        }
        assertThat(read(queue, 2 * PARTS))
                .containsExactlyInAnyOrder("0 0", "0 1", "1 0", "1 1", "2 0", "2 1", "3 0", "3 1");
    }

    /** A consumer of one node's part takes a message, and publishes the next one to the same part, in one go. */
    @Test
    void aTransactionTakesAMessageAndPublishesOneOfItsKey() throws Exception {
        String queue = "turns";
        String key = key(queue, 2);
        try (Connection connection = none.jms().createConnection();
                JMSContext reads = one.jms().createContext()) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageProducer producer = session.createProducer(session.createQueue(queue));
            producer.send(keyed(session, key, "0"));
            session.commit();
            try (Connection of = one.jms().createConnection()) {
                of.start();
                Session takes = of.createSession(true, Session.SESSION_TRANSACTED);
                MessageConsumer consumer = takes.createConsumer(takes.createQueue(queue));
                MessageProducer next = takes.createProducer(takes.createQueue(queue));
                for (int i = 0; i < 3; i++) {
                    assertThat(consumer.receive(WAIT_MS).getBody(String.class)).isEqualTo(String.valueOf(i));
                    next.send(keyed(takes, key, String.valueOf(i + 1)));
                    takes.commit();
                }
            }
            assertThat(reads.createConsumer(reads.createQueue(queue)).receiveBody(String.class, WAIT_MS))
                    .isEqualTo("3");
        }
    }

    // ---- owners that are slow

    /** The other owner cannot commit while a test holds the row of its shard. */
    @Test
    void anOutcomeFollowsTheCommitOfItsOwnerAndOtherKeysPass() throws Exception {
        String queue = "slow";
        SendOutcomes outcomes = new SendOutcomes();
        try (JMSContext context = one.jms().createContext();
                java.sql.Connection holds = cluster.database.connect();
                Statement statement = holds.createStatement()) {
            JMSProducer waiting = context.createProducer().setAsync(outcomes);
            holds.setAutoCommit(false);
            statement.execute("SELECT 1 FROM ringtable.shard WHERE shard_id = 2 FOR UPDATE");
            send(context, waiting, queue, key(queue, 2), "held");
            send(context, context.createProducer(), queue, key(queue, 0), "here");
            send(context, context.createProducer(), queue, key(queue, 3), "there");
            assertThat(outcomes.accepted).hasValue(0);
            assertThat(outcomes.refused).isEmpty();
            holds.rollback();
            await().until(() -> outcomes.accepted.get() == 1);
        }
        assertThat(read(queue, 3)).containsExactlyInAnyOrder("held", "here", "there");
    }

    /** Messages that wait for a full part are bounded by the link's credit. Others pass until that is used up. */
    @Test
    void aFullPartElsewhereHoldsUpNoMoreThanTheCreditOfItsLink() throws Exception {
        String queue = "narrow";
        String key = key(queue, 2);
        int all = PLACES + 2 * CREDIT;
        try (FrontPeer peer = FrontPeer.client(one, "ann", "fills")) {
            Sender sender = peer.sender(peer.session(), null, "out", queue);
            EncodingWriter batch = new EncodingWriter();
            IntStream.range(0, PLACES).forEach(i -> BatchFormat.add(batch, ofGroup(key, String.valueOf(i))));
            OutgoingDelivery fills = transfer(sender, 0, BatchFormat.CODE, false, batch.toBytes());
            peer.await(() -> fills.getRemoteState() != null);
            assertThat(fills.getRemoteState()).isEqualTo(Accepted.getInstance());

            List<OutgoingDelivery> waiting = new ArrayList<>();
            waiting.add(sendNext(sender, key, waiting));
            OutgoingDelivery passes = transfer(sender, all, 0, false, ofGroup(key(queue, 3), "passes"));
            peer.await(() -> passes.getRemoteState() != null);
            assertThat(passes.getRemoteState()).isEqualTo(Accepted.getInstance());
            while (sender.getCredit() > 0) {
                waiting.add(sendNext(sender, key, waiting));
                peer.session(); // the node has read it, and has given what it gives
            }
            assertThat(waiting).hasSizeBetween(CREDIT / 2, CREDIT);
            assertThat(waiting)
                    .allSatisfy(each -> assertThat(each.getRemoteState()).isNull());

            FrontPeer.Reader reader = peer.reader(peer.session(), null, "in", queue);
            reader.receiver.addCredit(all + 1);
            List<String> texts = new ArrayList<>();
            for (int next = 0; texts.size() < all; ) {
                int come = next;
                peer.await(() ->
                        reader.deliveries.size() > come || sender.getCredit() > 0 && waiting.size() < all - PLACES);
                while (sender.getCredit() > 0 && waiting.size() < all - PLACES) {
                    waiting.add(sendNext(sender, key, waiting));
                }
                for (; next < reader.deliveries.size(); next++) {
                    texts.add(value(reader, next));
                    texts.remove("passes");
                }
            }
            assertThat(texts)
                    .isEqualTo(IntStream.range(0, all).mapToObj(String::valueOf).toList());
        }
    }

    private static OutgoingDelivery sendNext(Sender sender, String key, List<OutgoingDelivery> before) {
        int number = PLACES + before.size();
        return transfer(sender, number, 0, false, ofGroup(key, String.valueOf(number)));
    }

    private static String value(FrontPeer.Reader reader, int number) {
        org.apache.qpid.protonj2.buffer.ProtonBuffer buffer =
                reader.deliveries.get(number).readAll();
        byte[] bytes = new byte[buffer.getReadableBytes()];
        buffer.readBytes(bytes, 0, bytes.length);
        reader.deliveries.get(number).disposition(Accepted.getInstance(), true);
        return String.valueOf(Encoded.section(bytes, AmqpValue.class).getValue());
    }
}
