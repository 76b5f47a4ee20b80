package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client that takes credit back (AMQP 1.0 section 2.6.7), as python-qpid-proton does. It gets no more than it asks
 * for, others get the rest, and what has come back overtakes nothing. Its node owns the queue, or relays it.
 */
@Timeout(120)
class TakenBackCreditScenarioTest {
    private static final String PARTED = "parted";
    private static final int PARTS = 2;
    private static final int KEYS = 6;
    private static final int MANY = 3_000;
    private static final int ROUNDS = 150;
    private static final int FRAMES = 4;
    private static final int FEW = 2;
    private static final int ROOM = 2 * MANY;
    private static final long BOUNDLESS = 0xFFFF_FFFFL;

    @AutoClose
    static TwoNodes nodes;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TwoNodes(TwoNodes.settings()
                .with("ringtable.queues", "few owner,few front,boundless owner,boundless front,many owner,many front")
                .with("ringtable.dispatch.addresses[0].match", PARTED, "ringtable.dispatch.addresses[0].parts", PARTS));
        nodes.awaitKnown("many front", 1);
    }

    private static TestBroker node(String name) {
        return nodes.node(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"owner", "front"})
    void aLinkThatHasGotMoreThanItsNewCreditKeepsNothingFromOthers(String at) throws Exception {
        String queue = "few " + at;
        try (FrontPeer peer = FrontPeer.client(node(at), "ann", "takes back " + at);
                FrontPeer other = FrontPeer.client(node(at), "ann", "other " + at)) {
            Sender sender = other.sender(other.session(), null, "to", queue);
            other.publish(sender, 30);
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "from", queue);
            peer.credit(0, ROOM, 10);
            peer.await(() -> reader.deliveries.size() == 10);
            peer.credit(0, ROOM, 5); // of which ten are used
            peer.session(); // the node has heard it

            FrontPeer.Reader rest = other.reader(other.session(), null, "from", queue);
            rest.receiver.addCredit(30);
            other.await(() -> rest.deliveries.size() == 20);
            assertThat(texts(rest)).isEqualTo(numbers(10, 30));
            assertThat(reader.deliveries).hasSize(10);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"owner", "front"})
    void theMostCreditThatThereIsCounts(String at) throws Exception {
        String queue = "boundless " + at;
        try (FrontPeer peer = FrontPeer.client(node(at), "ann", "boundless " + at);
                FrontPeer other = FrontPeer.client(node(at), "ann", "publisher " + at)) {
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "from", queue);
            peer.credit(0, ROOM, BOUNDLESS);
            other.publish(other.sender(other.session(), null, "to", queue), 3);
            peer.await(() -> reader.deliveries.size() == 3);
            assertThat(texts(reader)).isEqualTo(numbers(0, 3));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"owner", "front"})
    void whatComesBackOvertakesNothing(String at) throws Exception {
        String queue = "many " + at;
        try (FrontPeer peer = FrontPeer.client(node(at), "ann", "takes back often " + at)) {
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "from", queue);
            publish(at, queue);
            takeBackOften(peer, reader);
            assertThat(texts(reader)).isEqualTo(numbers(0, MANY));
        }
    }

    @Test
    void noKeyOfAQueueWithPartsAtTwoNodesOvertakesItself() throws Exception {
        try (FrontPeer peer = FrontPeer.client(nodes.front, "ann", "takes back parts")) {
            publish("front", PARTED);
            nodes.awaitKnown(PARTED, PARTS);
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "from", PARTED);
            takeSomeBackOften(peer, reader);

            Map<Integer, List<Integer>> byKey = new TreeMap<>();
            texts(reader)
                    .forEach(text -> byKey.computeIfAbsent(Integer.parseInt(text) % KEYS, key -> new ArrayList<>())
                            .add(Integer.parseInt(text)));
            assertThat(byKey).hasSize(KEYS);
            assertThat(byKey.values())
                    .allSatisfy(its -> assertThat(its).hasSize(MANY / KEYS).isSorted());
        }
    }

    /** Publishes all numbers, each with a key. */
    private static void publish(String at, String queue) throws IOException {
        try (FrontPeer other = FrontPeer.client(node(at), "ann", "publisher of many " + at)) {
            Sender sender = other.sender(other.session(), null, "to", queue);
            for (int i = 0; i < MANY; i++) {
                other.await(() -> sender.getCredit() > 0);
                Properties properties = new Properties().setGroupId("key " + i % KEYS);
                if (i < MANY - 1) {
                    other.send(sender, properties, String.valueOf(i));
                } else {
                    other.publish(sender, properties, String.valueOf(i));
                }
            }
        }
    }

    /**
     * Takes all credit back and gives it again, in one piece. The session's window holds up what the node has for the
     * link meanwhile, and more is on its way there.
     */
    private static void takeBackOften(FrontPeer peer, FrontPeer.Reader reader) {
        int got = 0;
        peer.credit(0, FRAMES, MANY);
        for (int round = 0; round < ROUNDS; round++) {
            got = await(peer, reader, got + FRAMES);
            int received = got;
            peer.inOnePiece(() -> {
                peer.credit(received, FRAMES, 0);
                peer.credit(received, FRAMES, MANY);
            });
        }
        peer.credit(got, ROOM, MANY);
        await(peer, reader, MANY);
    }

    /** Takes all credit back but that of two messages, and gives it again once these have come. */
    private static void takeSomeBackOften(FrontPeer peer, FrontPeer.Reader reader) {
        int got = 0;
        for (int round = 0; round < ROUNDS; round++) {
            peer.credit(got, FRAMES, MANY);
            got = await(peer, reader, got + FRAMES);
            peer.credit(got, ROOM, FEW);
            got = await(peer, reader, got + FEW);
        }
        peer.credit(got, ROOM, MANY);
        await(peer, reader, MANY);
    }

    private static int await(FrontPeer peer, FrontPeer.Reader reader, int count) {
        peer.await(() -> reader.deliveries.size() >= count);
        assertThat(reader.deliveries).hasSize(count);
        return count;
    }

    private static List<String> texts(FrontPeer.Reader reader) {
        return IntStream.range(0, reader.deliveries.size())
                .mapToObj(reader::text)
                .toList();
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(String::valueOf).toList();
    }
}
