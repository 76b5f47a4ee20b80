package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.wire.Encoded;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client does at random what clients do, in parts and in the wrong moment. Each message that was published is
 * consumed once, or still there. The test says so of links that are passed on, and of the owner's own.
 * <p>Longer than others, because a client of its own plays both directions.
 */
@Timeout(300)
class RelaySimulationTest {
    private static final int STEPS = 150;
    private static final int LINKS = 3;
    private static final String QUEUE = "q.sim";

    @AutoClose
    static TwoNodes nodes;

    static TestBroker owner;
    static TestBroker front;

    static LongStream seeds() {
        return LongStream.rangeClosed(Long.getLong("relay.first", 1), Long.getLong("relay.seeds", 20));
    }

    @BeforeAll
    static void start() throws Exception {
        nodes = new TwoNodes(TwoNodes.settings()
                .with(
                        "ringtable.queues",
                        QUEUE,
                        "ringtable.dispatch.deliveries-max",
                        1_000,
                        "ringtable.amqp.buffered-bytes-max",
                        "2MB",
                        "ringtable.amqp.max-message-size",
                        "1MB",
                        "ringtable.amqp.link-credit",
                        10)
                .authenticator(RelayScenario.USERS));
        owner = nodes.owner;
        front = nodes.front;
        nodes.awaitKnown(QUEUE);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void throughAFrontNothingIsLostAndNothingComesTwice(long seed) throws Exception {
        simulate(front, seed);
        Awaitility.await().until(() -> front.counters().relayedLinks.sum() == 0);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void onALinkOfTheOwnersOwnThatIsSo(long seed) throws Exception {
        simulate(owner, seed);
    }

    private static void simulate(TestBroker broker, long seed) throws Exception {
        try (FrontPeer peer = FrontPeer.client(broker, "ann", "sim")) {
            Client client = new Client(peer, new Random(seed));
            for (int i = 0; i < STEPS; i++) {
                client.step();
            }
            client.end();
            RelayScenario.broker = owner;
            Awaitility.await().until(() -> RelayScenario.seen("sim").stream().allMatch(seen -> seen.links() == 0));
            Set<String> left = new TreeSet<>();
            try (FrontPeer direct = FrontPeer.client(owner, "ann", "rest")) {
                Session session = direct.session();
                FrontPeer.Reader rest = direct.reader(session, null, "rest", QUEUE);
                while (true) {
                    int before = rest.deliveries.size();
                    rest.receiver.drain(1_000);
                    direct.await(() -> !rest.receiver.isDraining());
                    for (int i = before; i < rest.deliveries.size(); i++) {
                        String id = rest.accept(i).split(" ")[0];
                        assertThat(left.add(id)).as("twice: " + id).isTrue();
                    }
                    if (rest.deliveries.size() == before) {
                        break;
                    }
                }
                direct.session();
            }
            assertThat(left).as("consumed twice").noneMatch(client.consumed::contains);
            Set<String> all = new TreeSet<>(left);
            all.addAll(client.consumed);
            Set<String> missing = new TreeSet<>(client.published);
            missing.removeAll(all);
            assertThat(missing)
                    .as("missing: %s", missing.stream().map(client.story::get).toList())
                    .isEmpty();
            all.removeAll(client.published);
            all.removeAll(client.unanswered);
            assertThat(all).as("never published").isEmpty();
            RelayScenario.awaitOwed(QUEUE, 0);
        }
        Awaitility.await().until(() -> owner.counters().heldBytes.sum() == 0);
    }

    /** A client, its links and what it knows. */
    private static final class Client {
        private final FrontPeer peer;
        private final Random random;
        final Set<String> published = new TreeSet<>();
        final Set<String> unanswered = new TreeSet<>(); // sent settled: at an end of its link one may be lost
        final Set<String> consumed = new TreeSet<>();
        final Map<String, List<String>> story = new HashMap<>(); // of each message
        private final Map<RelayedTransfer, String> pending = new IdentityHashMap<>();
        private final List<Publisher> publishers = new ArrayList<>();
        private final List<Consumer> consumers = new ArrayList<>();
        private Session session;
        private int ids;
        private int names;

        Client(FrontPeer peer, Random random) {
            this.peer = peer;
            this.random = random;
            open();
        }

        private void open() {
            session = peer.session(4 + random.nextInt(60));
            for (int i = 0; i < LINKS; i++) {
                publishers.add(new Publisher());
                consumers.add(new Consumer());
            }
        }

        private void tell(String id, String what) {
            story.computeIfAbsent(id, key -> new ArrayList<>()).add(what);
        }

        void step() {
            Publisher publisher = publishers.get(random.nextInt(LINKS));
            Consumer consumer = consumers.get(random.nextInt(LINKS));
            switch (random.nextInt(16)) {
                case 0, 1, 2, 3 -> publisher.publish();
                case 4 -> publisher.begin();
                case 5 -> publisher.goOn();
                case 6 -> publisher.finish();
                case 7 -> publisher.abort();
                case 8, 9 -> consumer.receiver.addCredit(1 + random.nextInt(10));
                case 10 -> consumer.drain();
                case 11, 12, 13 -> consumer.settle();
                case 14 -> {
                    if (random.nextBoolean()) {
                        consumers.set(consumers.indexOf(consumer), consumer.again());
                    } else {
                        publishers.set(publishers.indexOf(publisher), publisher.again());
                    }
                }
                default -> {
                    awaitOutcomes();
                    if (random.nextInt(8) == 0) {
                        end();
                        open();
                    }
                }
            }
        }

        void awaitOutcomes() {
            peer.await(() -> {
                pending.entrySet().removeIf(each -> {
                    RelayedTransfer transfer = each.getKey();
                    if (transfer.remoteState() == null) {
                        return false;
                    }
                    assertThat(transfer.remoteState()).isEqualTo(Accepted.getInstance());
                    assertThat(published.add(each.getValue())).isTrue();
                    return true;
                });
                return pending.isEmpty();
            });
        }

        /** Ends the session: what is begun ends with it, what is settled counts. */
        void end() {
            awaitOutcomes();
            consumers.forEach(Consumer::calm);
            publishers.clear();
            consumers.clear();
            peer.end(session, false);
        }

        private final class Publisher {
            private final Sender sender;
            private RelayedTransfer current;
            private boolean begun;
            private ProtonBuffer rest;
            private String id;

            Publisher() {
                sender = peer.sender(session, null, "to-" + ++names, QUEUE);
            }

            private void start() {
                peer.await(() -> sender.getCredit() > 0 && LinkFlow.isSendable(sender));
                id = "m" + ++ids;
                int size = random.nextInt(4) == 0 ? random.nextInt(300_000) : random.nextInt(200);
                rest = ProtonByteArrayBufferAllocator.wrapped(Encoded.text(id + " " + "x".repeat(size)));
                byte[] tag = id.getBytes(StandardCharsets.US_ASCII);
                current = peer.transfers.begin(sender, tag, 0, null, random.nextInt(5) == 0, () -> {});
                begun = false;
                tell(
                        id,
                        "begun on " + sender.getName() + (current.isSettled() ? " settled, " : ", ") + size + " bytes");
            }

            private void write(ProtonBuffer part, boolean last) {
                do {
                    peer.await(() -> LinkFlow.isSendable(sender));
                    current.write(part, last);
                    begun = true;
                } while (part.isReadable());
            }

            void publish() {
                finish();
                start();
                finish();
            }

            void begin() {
                if (current == null) {
                    start();
                    goOn();
                }
            }

            void goOn() {
                if (current != null && rest.getReadableBytes() > 1) {
                    int length = 1 + random.nextInt(rest.getReadableBytes() - 1);
                    ProtonBuffer part = rest.copy(rest.getReadOffset(), length);
                    rest.advanceReadOffset(length);
                    write(part, false);
                }
            }

            void finish() {
                if (current == null) {
                    return;
                }
                write(rest, true);
                if (current.isSettled()) {
                    unanswered.add(id);
                } else {
                    pending.put(current, id);
                }
                tell(id, "sent");
                current = null;
            }

            void abort() {
                if (current != null && begun) {
                    peer.await(() -> LinkFlow.isSendable(sender));
                    current.abort();
                    current = null;
                    tell(id, "aborted");
                }
            }

            Publisher again() {
                awaitOutcomes();
                if (random.nextBoolean()) {
                    sender.close();
                } else {
                    sender.detach();
                }
                peer.await(sender::isRemotelyClosedOrDetached);
                return new Publisher();
            }
        }

        private final class Consumer {
            private final Receiver receiver;
            private final boolean settled = random.nextInt(4) == 0;
            private final Map<IncomingDelivery, ByteArrayOutputStream> partly = new HashMap<>();
            private final List<IncomingDelivery> open = new ArrayList<>();
            private final Map<IncomingDelivery, String> texts = new IdentityHashMap<>();

            Consumer() {
                receiver = session.receiver("from-" + ++names);
                receiver.setSource(new org.apache.qpid.protonj2.types.messaging.Source().setAddress(QUEUE));
                receiver.setTarget(new org.apache.qpid.protonj2.types.messaging.Target().setAddress("me"));
                if (settled) {
                    receiver.setSenderSettleMode(SenderSettleMode.SETTLED);
                }
                receiver.deliveryReadHandler(this::onDelivery);
                peer.opened(receiver);
            }

            private void onDelivery(IncomingDelivery delivery) {
                if (!receiver.isLocallyOpen()) {
                    return; // each session has room for some of these
                }
                ProtonBuffer read = delivery.readAll();
                ByteArrayOutputStream bytes = partly.computeIfAbsent(delivery, key -> new ByteArrayOutputStream());
                if (read != null) {
                    byte[] part = new byte[read.getReadableBytes()];
                    read.readBytes(part, 0, part.length);
                    bytes.writeBytes(part);
                }
                if (!delivery.isPartial()) {
                    partly.remove(delivery);
                    String text = new String(
                            Encoded.section(bytes.toByteArray(), Data.class).getValue(), StandardCharsets.UTF_8);
                    String got = text.split(" ")[0];
                    tell(got, (settled ? "settled to " : "to ") + receiver.getName());
                    assertThat(delivery.isRemotelySettled()).isEqualTo(settled);
                    if (settled) {
                        assertThat(consumed.add(got)).as("again: " + got).isTrue();
                    } else {
                        open.add(delivery);
                        texts.put(delivery, got);
                    }
                }
            }

            void drain() {
                receiver.drain(receiver.getCredit() + random.nextInt(5));
                peer.await(() -> !receiver.isDraining() && partly.isEmpty());
            }

            void settle() {
                for (int i = random.nextInt(5); i >= 0 && !open.isEmpty(); i--) {
                    IncomingDelivery delivery = open.remove(random.nextInt(open.size()));
                    int outcome = random.nextInt(4);
                    tell(texts.get(delivery), "outcome " + outcome);
                    switch (outcome) {
                        case 0 -> delivery.disposition(Released.getInstance(), true);
                        case 1 -> delivery.disposition(new Modified().setDeliveryFailed(true), true);
                        default -> {
                            delivery.disposition(Accepted.getInstance(), true);
                            assertThat(consumed.add(texts.get(delivery))).isTrue();
                        }
                    }
                }
            }

            /** Gets what is on its way and settled already: it would be lost, as at-most-once allows. */
            void calm() {
                if (settled) {
                    drain();
                }
            }

            Consumer again() {
                calm();
                if (random.nextBoolean()) {
                    receiver.close();
                } else {
                    receiver.detach();
                }
                peer.await(receiver::isRemotelyClosedOrDetached);
                texts.values().forEach(id -> tell(id, "end of " + receiver.getName()));
                return new Consumer();
            }
        }
    }
}
