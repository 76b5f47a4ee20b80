package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.message.Address;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A consumer of a queue with parts gets what lies at its own node and at the other one (ADR 74).
 */
@Timeout(120)
class OtherPartsScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final String DEAD = "DLQ";
    private static final String AT_OWNER = "of.owner";
    private static final String AT_FRONT = "of.front";

    @AutoClose
    static TwoNodes nodes;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TwoNodes(TestCluster.withUsers(TwoNodes.settings()));
        bury(nodes.owner, AT_OWNER, 0);
        bury(nodes.front, AT_FRONT, 0);
        nodes.awaitKnown(DEAD, 2);
    }

    @AfterEach
    void nothingIsLeft() {
        awaitDead(nodes.owner, 0);
        awaitDead(nodes.front, 0);
    }

    // ---- dead letters of both nodes

    /** Makes that many dead letters in the shard of a node, with texts that name its queue. */
    private static List<String> bury(TestBroker node, String queue, int count) {
        return bury(node, queue, "", count);
    }

    private static List<String> bury(TestBroker node, String queue, String more, int count) {
        List<String> texts = new ArrayList<>();
        try (FrontPeer peer = FrontPeer.client(node, "ann", "digger of " + queue)) {
            org.apache.qpid.protonj2.engine.Session session = peer.session();
            Sender sender = peer.sender(session, null, "to", queue);
            FrontPeer.Reader reader = peer.reader(session, null, "from", queue);
            for (int i = 0; i < count; i++) {
                texts.add(queue + " " + more + i);
                peer.send(sender, texts.get(i));
                reader.receiver.addCredit(1);
                int come = i + 1;
                peer.await(() -> reader.deliveries.size() == come);
                reader.deliveries.get(i).disposition(new Rejected(), true);
            }
            peer.session(); // when it is there, the broker has read what was sent before
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }

    private static List<String> buryAtBoth(int count) {
        List<String> all = bury(nodes.owner, AT_OWNER, count);
        all.addAll(bury(nodes.front, AT_FRONT, count));
        awaitDead(nodes.owner, count);
        awaitDead(nodes.front, count);
        return all;
    }

    private static long dead(TestBroker node) {
        Address any = node.shard().lookup().find(DEAD);
        long owed = 0;
        for (Home home : any == null ? List.<Home>of() : node.shard().homesOf(any)) {
            Address part = home.elsewhere() == null ? home.lookup().find(DEAD) : null;
            Subscription reader = part == null ? null : home.lookup().readerOf(part);
            owed += reader == null ? 0 : home.lookup().owedBy(reader);
        }
        return owed;
    }

    private static void awaitDead(TestBroker node, long count) {
        await().until(() -> dead(node) == count);
    }

    private static String text(Message message) throws JMSException {
        return new String(((BytesMessage) message).getBody(byte[].class), StandardCharsets.UTF_8);
    }

    // ---- one consumer

    @Test
    void aConsumerWithOneCreditAtATimeGetsAll() throws Exception {
        readAll(1);
    }

    @Test
    void aConsumerWithMuchCreditGetsAll() throws Exception {
        readAll(100);
    }

    /** Settles each message at once, and gives as much credit as was used whenever half of it is. */
    private void readAll(int credit) throws Exception {
        int count = 20;
        List<String> all = buryAtBoth(count);
        List<String> come = new ArrayList<>();
        try (FrontPeer peer = FrontPeer.client(nodes.front, "ann", "reads all")) {
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "in", DEAD);
            int given = 0;
            while (come.size() < all.size()) {
                if (given - come.size() <= credit / 2) {
                    reader.receiver.addCredit(credit - (given - come.size()));
                    given = come.size() + credit;
                }
                int next = come.size();
                peer.await(() -> reader.deliveries.size() > next);
                assertThat(reader.deliveries).hasSizeLessThanOrEqualTo(given);
                assertThat(reader.deliveries.get(next).getRemoteState()).isNull();
                come.add(reader.accept(next));
            }
            peer.session();
        }
        assertThat(come).containsExactlyInAnyOrderElementsOf(all);
        for (String queue : List.of(AT_OWNER, AT_FRONT)) {
            assertThat(come.stream().filter(text -> text.startsWith(queue)))
                    .as("in the order of each part")
                    .isEqualTo(
                            all.stream().filter(text -> text.startsWith(queue)).toList());
        }
    }

    @Test
    void aConsumerThatPollsGetsAll() throws Exception {
        List<String> all = buryAtBoth(10);
        List<String> come = new ArrayList<>();
        try (Connection connection = TestCluster.connect(nodes.front)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(session.createQueue(DEAD));
            for (Message next; (next = consumer.receiveNoWait()) != null; ) {
                come.add(text(next));
            }
        }
        assertThat(come).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void aDrainIsAnsweredWhenBothHaveNothingMore() throws Exception {
        List<String> all = buryAtBoth(3);
        List<String> come = new ArrayList<>();
        try (FrontPeer peer = FrontPeer.client(nodes.front, "ann", "drains")) {
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "in", DEAD);
            reader.receiver.drain(100);
            peer.await(() -> !reader.receiver.isDraining());
            for (int i = 0; i < reader.deliveries.size(); i++) {
                come.add(reader.accept(i));
            }
            peer.session();
        }
        assertThat(come).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void aTransactionTakesOneMessageOfEitherPart() throws Exception {
        List<String> all = buryAtBoth(2);
        List<String> come = new ArrayList<>();
        try (Connection connection = TestCluster.connect(nodes.front)) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageConsumer consumer = session.createConsumer(session.createQueue(DEAD));
            for (int i = 0; i < all.size(); i++) {
                come.add(text(consumer.receive(WAIT_MS)));
                session.commit();
            }
        }
        assertThat(come).containsExactlyInAnyOrderElementsOf(all);
    }

    /** Both parts wait with the credit of one message, and whichever has one uses it. */
    @Test
    void aConsumerThatWaitsHearsOfEachPart() throws Exception {
        try (FrontPeer peer = FrontPeer.client(nodes.front, "ann", "waits")) {
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "in", DEAD);
            int come = 0;
            for (int i = 0; i < 3; i++) {
                for (TestBroker node : nodes.both()) {
                    reader.receiver.addCredit(1);
                    List<String> one = bury(node, node == nodes.owner ? AT_OWNER : AT_FRONT, 1);
                    int number = come++;
                    peer.await(() -> reader.deliveries.size() > number);
                    assertThat(reader.accept(number)).isEqualTo(one.get(0));
                }
            }
            reader.receiver.addCredit(50);
            List<String> all = buryAtBothUnawaited();
            int before = come;
            peer.await(() -> reader.deliveries.size() == before + all.size());
            for (int i = 0; i < all.size(); i++) {
                assertThat(reader.accept(before + i)).isIn(all);
            }
            peer.session();
        }
    }

    /** Credit of any size, drains and outcomes in any order: never more than the credit, and each message once. */
    @Test
    void creditAndDrainsAtRandom() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Set<String> all = new TreeSet<>();
        List<String> accepted = new ArrayList<>();
        try (FrontPeer peer = FrontPeer.client(nodes.front, "ann", "at random")) {
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "in", DEAD);
            int given = 0;
            int read = 0;
            for (int step = 0; step < 60; step++) {
                int what = random.nextInt(6);
                if (what < 2) {
                    TestBroker node = what == 0 ? nodes.owner : nodes.front;
                    String queue = what == 0 ? AT_OWNER : AT_FRONT;
                    for (String text : bury(node, queue, step + " ", 1 + random.nextInt(3))) {
                        all.add(text);
                    }
                } else if (what == 2 && reader.receiver.getCredit() > 0) {
                    reader.receiver.drain();
                    peer.await(() -> !reader.receiver.isDraining());
                    given = reader.deliveries.size();
                } else {
                    int more = 1 + random.nextInt(what == 3 ? 30 : 2);
                    reader.receiver.addCredit(more);
                    given += more;
                    peer.session();
                }
                assertThat(reader.deliveries).as("seed %s", seed).hasSizeLessThanOrEqualTo(given);
                read = settle(reader, read, random, accepted);
            }
            reader.receiver.addCredit(200);
            while (accepted.size() < all.size()) {
                int next = read;
                peer.await(() -> reader.deliveries.size() > next);
                read = settle(reader, read, random, accepted);
            }
            peer.session();
        }
        assertThat(accepted).as("seed %s", seed).containsExactlyInAnyOrderElementsOf(all);
    }

    /** Settles what has come since. @return how many have come */
    private static int settle(FrontPeer.Reader reader, int from, Random random, List<String> accepted) {
        for (int i = from; i < reader.deliveries.size(); i++) {
            if (random.nextInt(4) == 0) {
                reader.text(i);
                reader.deliveries.get(i).disposition(Released.getInstance(), true);
            } else {
                accepted.add(reader.accept(i));
            }
        }
        return reader.deliveries.size();
    }

    private static List<String> buryAtBothUnawaited() {
        List<String> all = bury(nodes.owner, AT_OWNER, 10);
        all.addAll(bury(nodes.front, AT_FRONT, 10));
        return all;
    }

    // ---- several

    @Test
    void consumersAtBothNodesShareAll() throws Exception {
        List<String> come = Collections.synchronizedList(new ArrayList<>());
        List<Connection> connections = new ArrayList<>();
        for (TestBroker node : nodes.both()) {
            Connection connection = node.jms("ann", "of ann").createConnection();
            connections.add(connection);
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            session.createConsumer(session.createQueue(DEAD)).setMessageListener(message -> {
                try {
                    come.add(text(message));
                } catch (JMSException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        List<String> all = buryAtBothUnawaited();
        await().until(() -> come.size() >= all.size());
        awaitDead(nodes.owner, 0);
        awaitDead(nodes.front, 0);
        for (Connection connection : connections) {
            connection.close();
        }
        assertThat(come).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void aBrowserSeesAll() throws Exception {
        List<String> all = buryAtBoth(5);
        try (Connection connection = TestCluster.connect(nodes.front)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue dead = session.createQueue(DEAD);
            List<String> seen = new ArrayList<>();
            QueueBrowser browser = session.createBrowser(dead);
            for (Enumeration<?> each = browser.getEnumeration(); each.hasMoreElements(); ) {
                seen.add(text((Message) each.nextElement()));
            }
            browser.close();
            assertThat(seen).containsExactlyInAnyOrderElementsOf(all);
            MessageConsumer consumer = session.createConsumer(dead);
            for (int i = 0; i < all.size(); i++) {
                assertThat(text(consumer.receive(WAIT_MS))).isIn(all);
            }
        }
    }

    // ---- a node that is not there

    @Test
    void aPartComesWhenItsShardIsServed() throws Exception {
        List<String> all = bury(nodes.owner, AT_OWNER, 2);
        awaitDead(nodes.owner, 2);
        nodes.stopOwner();
        try (FrontPeer peer = FrontPeer.client(nodes.front, "ann", "waits for a node")) {
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "in", DEAD);
            reader.receiver.addCredit(1);
            List<String> here = bury(nodes.front, AT_FRONT, 1);
            peer.await(() -> reader.deliveries.size() == 1);
            assertThat(reader.accept(0)).isEqualTo(here.get(0));

            nodes.startOwner();
            for (int i = 0; i < 2; i++) {
                int next = i + 1;
                reader.receiver.addCredit(1);
                peer.await(() -> reader.deliveries.size() > next);
                assertThat(reader.accept(next)).isEqualTo(all.get(i));
            }
            peer.session();
        }
    }
}
