package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.EncodingWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A relay is lost at random moments, with transfers and outcomes on it. Clients publish meanwhile to a queue, on links
 * without a target, and to a queue with a part at each node. They send messages and batches, in parts, settled and
 * unsettled, with refused ones and aborted ones in between. No client hears of it. Each message is stored once, in the
 * order of its link, address and key (ADR 84).
 */
@Timeout(300)
class SentAgainSimulationTest {
    private static final int STEPS = 120;
    private static final int CREDIT = 30;
    private static final String QUEUE = "q.again";
    private static final String OTHER = "q.other";
    private static final String PARTED = "q.parted"; // with a part in each shard
    private static final List<String> QUEUES = List.of(QUEUE, OTHER, PARTED);
    private static final int PARTS = 2;
    private static final int GROUP_ID_MAX = 1_024; // characters
    private static final int LONG = 1_200_000; // bytes; more than a relay keeps of a link to one address
    private static final Symbol DELIVERY_TAG = Symbol.valueOf("delivery-tag");

    static DatabaseDoor toOwner;
    static TwoNodes nodes;
    static String tooLong; // group id, of the owner's part

    static LongStream seeds() {
        return LongStream.rangeClosed(Long.getLong("again.first", 1), Long.getLong("again.seeds", 6));
    }

    @BeforeAll
    static void start() throws Exception {
        toOwner = new DatabaseDoor(() -> nodes.owner.port());
        nodes = new TwoNodes(
                TwoNodes.settings()
                        .with(
                                "ringtable.queues",
                                String.join(",", QUEUES),
                                "ringtable.dispatch.addresses[0].match",
                                PARTED,
                                "ringtable.dispatch.addresses[0].parts",
                                PARTS,
                                "ringtable.amqp.advertised-url",
                                "amqp://127.0.0.1:" + toOwner.port(),
                                "ringtable.amqp.link-credit",
                                CREDIT)
                        .authenticator(RelayScenario.USERS),
                "ringtable.amqp.advertised-url",
                null);
        nodes.awaitKnown(QUEUE);
        nodes.awaitKnown(OTHER);
        nodes.awaitKnown(PARTED, PARTS);
        Parts parts = nodes.owner.shard().partsOf(nodes.owner.shard().lookup().find(PARTED));
        tooLong = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "x".repeat(GROUP_ID_MAX) + i)
                .filter(key -> ShardIds.shardOf(parts.of(PartKey.of(key)).id()) == 0)
                .findFirst()
                .orElseThrow();
    }

    @AfterAll
    static void stop() throws Exception {
        if (nodes != null) {
            nodes.close();
        }
        if (toOwner != null) {
            toOwner.close();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void eachMessageIsStoredOnceAndInOrder(long seed) throws Exception {
        try (FrontPeer peer = FrontPeer.client(nodes.front, "ann", "again-" + seed)) {
            Client client = new Client(peer, new Random(seed));
            for (int i = 0; i < STEPS; i++) {
                client.step();
            }
            client.publishers.forEach(Publisher::end);
            client.awaitOutcomes();

            Map<String, List<String>> expected = new TreeMap<>();
            client.publishers.forEach(publisher -> expected.putAll(publisher.expected));
            Map<String, List<String>> received = new TreeMap<>();
            for (String queue : QUEUES) {
                int count = expected.entrySet().stream()
                        .filter(stream -> stream.getKey().contains(queue))
                        .mapToInt(stream -> stream.getValue().size())
                        .sum();
                receive(queue, count, received);
            }
            expected.forEach((stream, texts) -> assertThat(received.getOrDefault(stream, List.of()))
                    .as(stream)
                    .containsExactlyElementsOf(texts));
            assertThat(received).hasSameSizeAs(expected);
        }
    }

    /** Receives all messages of a queue in their order, by the stream that they are of. @param count at least */
    private static void receive(String queue, int count, Map<String, List<String>> received) throws Exception {
        try (FrontPeer direct = FrontPeer.client(nodes.owner, "ann", "rest")) {
            FrontPeer.Reader rest = direct.reader(direct.session(), null, "rest", queue);
            rest.receiver.addCredit(count);
            direct.await(() -> rest.deliveries.size() >= count);
            int before = 0;
            while (rest.deliveries.size() > before) {
                for (; before < rest.deliveries.size(); before++) {
                    String text = rest.accept(before).split(" ")[0];
                    String stream = text.substring(0, text.indexOf('#'));
                    received.computeIfAbsent(stream, key -> new ArrayList<>()).add(text);
                }
                rest.receiver.drain(1_000);
                direct.await(() -> !rest.receiver.isDraining());
            }
            direct.session();
        }
    }

    /** Lists what a link publishes to. */
    private enum Kind {
        QUEUE,
        ANY,
        PARTS
    }

    /** Where a message goes. @param key of its part; null if it has none */
    private record Way(String queue, String key) {
        static Way ofPart(int shard) {
            return new Way(PARTED, nodes.owner.keyOf(PARTED, shard));
        }
    }

    /** A client and what it does. */
    private static final class Client {
        private final FrontPeer peer;
        private final Random random;
        private final Session session;
        final List<Publisher> publishers = new ArrayList<>(); // of all times
        private final List<Publisher> open = new ArrayList<>();

        Client(FrontPeer peer, Random random) {
            this.peer = peer;
            this.random = random;
            this.session = peer.session(64);
            for (Kind kind : Kind.values()) {
                open.add(new Publisher(this, kind));
            }
            publishers.addAll(open);
        }

        void step() throws Exception {
            Publisher publisher = open.get(random.nextInt(open.size()));
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3, 4, 5 -> publisher.publish(1 + random.nextInt(10));
                case 6, 7 -> publisher.batch();
                case 8, 9, 10, 11 -> publisher.refused();
                case 12, 13 -> publisher.begin();
                case 14 -> publisher.abort();
                case 15, 16, 17 -> toOwner.open(); // cuts the relay
                case 18 -> awaitOutcomes();
                default -> {
                    publisher.end();
                    awaitOutcomes();
                    Publisher next = new Publisher(this, publisher.kind);
                    publishers.add(next);
                    open.set(open.indexOf(publisher), next);
                }
            }
        }

        void awaitOutcomes() {
            for (Publisher publisher : publishers) {
                publisher.awaitOutcomes();
            }
        }
    }

    /** Is to be received once. @param stream in whose order */
    private record Message(String stream, String text, byte[] bytes) {}

    /** One link of the client. */
    private static final class Publisher {
        private final Client client;
        private final FrontPeer peer;
        private final Random random;
        final Kind kind;
        private final String name;
        private final List<Way> ways;
        private final Sender sender;
        final Map<String, List<String>> expected = new TreeMap<>(); // by stream: the link, its address and key
        private final Map<RelayedTransfer, byte[]> pending = new LinkedHashMap<>(); // tags
        private final Map<RelayedTransfer, String> refused = new HashMap<>(); // codes
        private int count;
        private int tags;
        private RelayedTransfer current; // in parts; null if none is
        private ProtonBuffer rest;
        private Message begun;

        Publisher(Client client, Kind kind) {
            this.client = client;
            this.kind = kind;
            this.peer = client.peer;
            this.random = client.random;
            this.name = "link" + client.publishers.size() + "-" + client.open.size();
            this.ways = switch (kind) {
                case QUEUE -> List.of(new Way(QUEUE, null));
                case ANY -> List.of(new Way(QUEUE, null), new Way(OTHER, null), Way.ofPart(0), Way.ofPart(1));
                case PARTS -> List.of(Way.ofPart(0), Way.ofPart(1));
            };
            this.sender = peer.sender(client.session, null, name, kind == Kind.ANY ? null : ways.get(0).queue);
        }

        private Message next(int size) {
            return next(ways.get(random.nextInt(ways.size())), size);
        }

        private Message next(Way way, int size) {
            String stream = name + "/" + way.queue + "/" + way.key;
            String text = stream + "#" + ++count;
            Properties properties =
                    new Properties().setTo("queue://" + way.queue).setGroupId(way.key);
            Data body = new Data((text + " " + "x".repeat(size)).getBytes(StandardCharsets.UTF_8));
            return new Message(stream, text, Encoded.message(properties, body));
        }

        /** Notes that a message has left. */
        private void sent(Message message) {
            expected.computeIfAbsent(message.stream, key -> new ArrayList<>()).add(message.text);
        }

        private RelayedTransfer start(int format, boolean settled) {
            peer.await(() -> sender.getCredit() > 0 && LinkFlow.isSendable(sender));
            byte[] tag = (name + "/" + ++tags).getBytes(StandardCharsets.US_ASCII);
            RelayedTransfer transfer = peer.transfers.begin(sender, tag, format, null, settled, () -> {});
            if (!settled) {
                pending.put(transfer, tag);
            }
            return transfer;
        }

        private void write(RelayedTransfer transfer, ProtonBuffer part, boolean last) {
            do {
                peer.await(() -> LinkFlow.isSendable(sender));
                transfer.write(part, last);
            } while (part.isReadable());
        }

        void publish(int messages) {
            finish();
            for (int i = 0; i < messages; i++) {
                int size = random.nextInt(4) == 0 ? random.nextInt(200_000) : random.nextInt(200);
                boolean isLong = kind != Kind.QUEUE && random.nextInt(30) == 0;
                Message message = next(isLong ? LONG : size);
                write(start(0, random.nextInt(3) == 0), wrapped(message.bytes), true);
                sent(message);
            }
        }

        private static ProtonBuffer wrapped(byte[] bytes) {
            return ProtonByteArrayBufferAllocator.wrapped(bytes);
        }

        /** Links without a target take none. */
        void batch() {
            finish();
            if (kind == Kind.ANY) {
                return;
            }
            EncodingWriter packed = new EncodingWriter();
            for (int i = 0; i < 3; i++) {
                Message message = next(0);
                BatchFormat.add(packed, message.bytes);
                sent(message);
            }
            write(start(BatchFormat.CODE, false), wrapped(packed.toBytes()), true);
        }

        /** Sends what the owner refuses: no message, or one whose group id is too long where the front must read it. */
        void refused() {
            finish();
            RelayedTransfer transfer = start(0, false);
            refused.put(transfer, kind == Kind.QUEUE ? "RT-4043" : "RT-4341");
            Way way = new Way(kind == Kind.PARTS ? PARTED : QUEUE, tooLong);
            write(transfer, wrapped(kind == Kind.QUEUE ? new byte[] {1, 2, 3} : next(way, 0).bytes), true);
        }

        void begin() {
            if (current == null) {
                begun = next(50_000);
                current = start(0, false);
                rest = wrapped(begun.bytes);
                write(current, rest.copy(0, 20_000), false);
                rest.advanceReadOffset(20_000);
            }
        }

        void abort() {
            if (current != null) {
                peer.await(() -> LinkFlow.isSendable(sender));
                current.abort();
                pending.remove(current);
                current = null;
            }
        }

        private void finish() {
            if (current != null) {
                write(current, rest, true);
                sent(begun);
                current = null;
            }
        }

        /** Ends what was begun. The outcomes of last messages say that all before them are stored or refused. */
        void end() {
            finish();
            for (Way way : ways) {
                Message message = next(way, 0);
                write(start(0, false), wrapped(message.bytes), true);
                sent(message);
            }
        }

        void awaitOutcomes() {
            finish();
            pending.forEach((transfer, tag) -> {
                peer.await(() -> transfer.remoteState() != null);
                DeliveryState outcome = transfer.remoteState();
                if (refused.containsKey(transfer)) {
                    assertThat(outcome).isInstanceOfSatisfying(Rejected.class, rejected -> {
                        assertThat(rejected.getError().getDescription()).startsWith(refused.get(transfer));
                        assertThat(rejected.getError().getInfo().get(DELIVERY_TAG))
                                .isEqualTo(new Binary(tag));
                    });
                } else {
                    assertThat(outcome).isEqualTo(Accepted.getInstance());
                }
            });
            pending.clear();
        }
    }
}
