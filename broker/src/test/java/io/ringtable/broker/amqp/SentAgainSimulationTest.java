package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.EncodingWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A relay is lost at random moments, with transfers and outcomes on it. Clients publish meanwhile: messages and
 * batches, in parts, settled and unsettled, with refused ones and aborted ones in between. No client hears of it. Each
 * message is stored once, in the order of its link (ADR 84).
 */
@Timeout(300)
class SentAgainSimulationTest {
    private static final int STEPS = 120;
    private static final int LINKS = 3;
    private static final int CREDIT = 30;
    private static final String QUEUE = "q.again";
    private static final Symbol DELIVERY_TAG = Symbol.valueOf("delivery-tag");

    static DatabaseDoor toOwner;
    static TwoNodes nodes;

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
                                QUEUE,
                                "ringtable.amqp.advertised-url",
                                "amqp://127.0.0.1:" + toOwner.port(),
                                "ringtable.amqp.link-credit",
                                CREDIT)
                        .authenticator(RelayScenario.USERS),
                "ringtable.amqp.advertised-url",
                null);
        nodes.awaitKnown(QUEUE);
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

            Map<String, List<String>> received = received();
            for (Publisher publisher : client.publishers) {
                assertThat(received.getOrDefault(publisher.name, List.of()))
                        .as(publisher.name)
                        .containsExactlyElementsOf(publisher.expected);
            }
            assertThat(received).hasSameSizeAs(client.publishers);
        }
    }

    /** Returns the texts of all messages of the queue in their order, by the link that they came on. */
    private static Map<String, List<String>> received() throws Exception {
        Map<String, List<String>> received = new LinkedHashMap<>();
        try (FrontPeer direct = FrontPeer.client(nodes.owner, "ann", "rest")) {
            FrontPeer.Reader rest = direct.reader(direct.session(), null, "rest", QUEUE);
            int before;
            do {
                before = rest.deliveries.size();
                rest.receiver.drain(1_000);
                direct.await(() -> !rest.receiver.isDraining());
                for (int i = before; i < rest.deliveries.size(); i++) {
                    String text = rest.accept(i).split(" ")[0];
                    String link = text.substring(0, text.indexOf('.'));
                    received.computeIfAbsent(link, key -> new ArrayList<>()).add(text);
                }
            } while (rest.deliveries.size() > before);
            direct.session();
        }
        return received;
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
            for (int i = 0; i < LINKS; i++) {
                open.add(new Publisher(this));
            }
            publishers.addAll(open);
        }

        void step() throws Exception {
            Publisher publisher = open.get(random.nextInt(LINKS));
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3, 4, 5 -> publisher.publish(1 + random.nextInt(10));
                case 6, 7 -> publisher.batch();
                case 8, 9, 10, 11 -> publisher.malformed();
                case 12, 13 -> publisher.begin();
                case 14 -> publisher.abort();
                case 15, 16, 17 -> toOwner.open(); // cuts the relay
                case 18 -> awaitOutcomes();
                default -> {
                    publisher.end();
                    awaitOutcomes();
                    Publisher next = new Publisher(this);
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

    /** One link of the client. */
    private static final class Publisher {
        private final Client client;
        private final FrontPeer peer;
        private final Random random;
        final String name;
        private final Sender sender;
        final List<String> expected = new ArrayList<>();
        private final Map<RelayedTransfer, byte[]> pending = new LinkedHashMap<>(); // tags
        private final List<RelayedTransfer> refused = new ArrayList<>();
        private int count;
        private int tags;
        private RelayedTransfer current; // in parts; null if none is
        private ProtonBuffer rest;
        private String begun;

        Publisher(Client client) {
            this.client = client;
            this.peer = client.peer;
            this.random = client.random;
            this.name = "link" + client.publishers.size() + "-" + client.open.size();
            this.sender = peer.sender(client.session, null, name, QUEUE);
        }

        private String text() {
            return name + "." + ++count;
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
                String text = text();
                int size = random.nextInt(4) == 0 ? random.nextInt(200_000) : random.nextInt(200);
                write(start(0, random.nextInt(3) == 0), encoded(text, size), true);
                expected.add(text);
            }
        }

        private static ProtonBuffer encoded(String text, int size) {
            return ProtonByteArrayBufferAllocator.wrapped(Encoded.text(text + " " + "x".repeat(size)));
        }

        void batch() {
            finish();
            EncodingWriter packed = new EncodingWriter();
            for (int i = 0; i < 3; i++) {
                String text = text();
                BatchFormat.add(packed, Encoded.text(text));
                expected.add(text);
            }
            write(start(BatchFormat.CODE, false), ProtonByteArrayBufferAllocator.wrapped(packed.toBytes()), true);
        }

        void malformed() {
            finish();
            RelayedTransfer transfer = start(0, false);
            refused.add(transfer);
            write(transfer, ProtonByteArrayBufferAllocator.wrapped(new byte[] {1, 2, 3}), true);
        }

        void begin() {
            if (current == null) {
                begun = text();
                current = start(0, false);
                rest = encoded(begun, 50_000);
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
                expected.add(begun);
                current = null;
            }
        }

        /** Ends what was begun. The outcome of a last message says that all before it are stored or refused. */
        void end() {
            finish();
            String text = text();
            write(start(0, false), encoded(text, 0), true);
            expected.add(text);
        }

        void awaitOutcomes() {
            finish();
            pending.forEach((transfer, tag) -> {
                peer.await(() -> transfer.remoteState() != null);
                DeliveryState outcome = transfer.remoteState();
                if (refused.contains(transfer)) {
                    assertThat(outcome).isInstanceOfSatisfying(Rejected.class, rejected -> {
                        assertThat(rejected.getError().getDescription()).startsWith("RT-4043");
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
