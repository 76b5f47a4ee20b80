package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.amqp.frames.RelayedTransfer;
import io.ringtable.broker.amqp.link.LinkFlow;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.wire.Encoded;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongPredicate;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The owner of a shard is lost, and then the next one. Each client publishes on one link through another node, with
 * numbers (ADR 84). The node between the two losses makes no producer for links, as one of an earlier version.
 */
@Timeout(300)
class TwoLossesScenarioTest {
    private static final int LOST = 3; // the shard
    private static final int SMALL = 10;
    private static final int BELOW = 600_000; // bytes that a link keeps
    private static final int BEYOND = 1_500_000; // bytes that it does not keep

    @AutoClose
    private TestCluster nodes;

    private final List<Client> clients = new ArrayList<>();
    private DatabaseDoor ofFirst; // the way of the first owner to the database
    private DatabaseDoor ofSecond;
    private Iterator<String> queues;

    @BeforeEach
    void startNodes() throws Exception {
        nodes = new TestCluster(TestCluster.settings(4, "3s"));
        ofFirst = nodes.door("b");
        ofSecond = nodes.door("c");
        nodes.start("b", "1,3").awaitOwned(1, LOST);
        nodes.start("a", "0").awaitOwned(0);
        nodes.start("c", "2,3", "ringtable.commit.producers-max", 1).awaitOwned(2);
        nodes.awaitSeen();
        List<String> all = QueuesOf.shard(nodes.node("b"), LOST, 9);
        all.forEach(queue -> nodes.awaitKnown(queue, 1));
        queues = all.iterator();
    }

    @AfterEach
    void endClients() throws IOException {
        for (Client client : clients) {
            client.peer.close();
        }
    }

    /** A client with one link to a queue of its own, whose messages are numbered texts. */
    private final class Client {
        final FrontPeer peer;
        final String queue;
        private final Sender sender;
        private final List<RelayedTransfer> sent = new ArrayList<>(); // without those that are refused
        private int number;
        private RelayedTransfer current; // in parts; null if none is
        private ProtonBuffer rest;

        Client() throws Exception {
            queue = queues.next();
            peer = FrontPeer.client(nodes.node("a"), "ann", queue);
            sender = peer.sender(peer.session(), null, "to", queue);
            clients.add(this);
        }

        private RelayedTransfer start(int tag) {
            peer.await(() -> LinkFlow.isSendable(sender));
            byte[] tagBytes = {(byte) sent.size(), (byte) tag};
            return peer.transfers.begin(sender, tagBytes, 0, null, false, () -> {});
        }

        Client send(int bytes) {
            begin(bytes, bytes);
            end();
            return this;
        }

        RelayedTransfer malformed() {
            RelayedTransfer refused = start(1);
            refused.write(ProtonByteArrayBufferAllocator.wrapped(new byte[] {1, 2, 3}), true);
            return refused;
        }

        /** Begins a message of so many bytes, of which some leave now. */
        void begin(int bytes, int now) {
            current = start(0);
            sent.add(current);
            rest = ProtonByteArrayBufferAllocator.wrapped(Encoded.text(number++ + " " + "x".repeat(bytes)));
            goOn(now);
        }

        void goOn(int now) {
            ProtonBuffer part = rest.copy(rest.getReadOffset(), Math.min(now, rest.getReadableBytes()));
            rest.advanceReadOffset(part.getReadableBytes());
            write(part, false);
        }

        void end() {
            write(rest, true);
            current = null;
        }

        private void write(ProtonBuffer part, boolean last) {
            do {
                peer.await(() -> LinkFlow.isSendable(sender));
                current.write(part, last);
            } while (part.isReadable());
        }

        /** Waits until all messages are accepted, save one that has only begun. */
        Client accepted() {
            for (RelayedTransfer each : sent) {
                if (each == current) {
                    continue;
                }
                peer.await(() -> each.remoteState() != null);
                assertThat(each.remoteState()).as(queue).isEqualTo(Accepted.getInstance());
            }
            return this;
        }

        /** Waits until the front holds so many bytes for the client. */
        void awaitHeld(LongPredicate bytes) {
            await().until(() -> bytes.test(LinksOf.heldBytes(nodes.node("a"), queue)));
        }

        /** Waits until the connection is closed. The owner says it itself, or its relay is lost. */
        void assertClosed() {
            assertThat(peer.closed()).containsPattern("RT-4535|RT-4566");
        }

        void assertNotKnown() {
            assertThat(peer.closed()).contains("RT-4665 the next owner of '" + queue + "'");
        }

        /** Removes what the database knows of the link's producer. */
        void forgetProducer() throws Exception {
            String removed =
                    nodes.ask("WITH gone AS (DELETE FROM ringtable.producer AS it USING ringtable.address AS its"
                            + " WHERE its.shard_id = it.shard_id AND its.address_id = it.address_id AND its.name = '"
                            + queue
                            + "' RETURNING it.name) SELECT string_agg(name, ',') FROM gone");
            assertThat(removed).startsWith("$relay:");
        }

        /** Asserts which numbers are in the queue, in their order. */
        void assertStored(Integer... numbers) throws Exception {
            try (FrontPeer reading = FrontPeer.client(nodes.node("b"), "ann", "reading " + queue)) {
                FrontPeer.Reader reader = reading.reader(reading.session(), null, "of", queue);
                reader.receiver.drain(10);
                reading.await(() -> !reader.receiver.isDraining());
                List<Integer> found = new ArrayList<>();
                for (int i = 0; i < reader.deliveries.size(); i++) {
                    found.add(Integer.valueOf(reader.accept(i).split(" ")[0]));
                }
                assertThat(found).as(queue).containsExactly(numbers);
            }
        }
    }

    @Test
    void eachMessageIsStoredOnceAndThoseClientsAloneAreClosedOfWhichNobodyCanTell() throws Exception {
        Client twice = new Client().send(SMALL).accepted();
        Client beyond = new Client().send(SMALL).send(SMALL);
        beyond.begin(2 * BEYOND, BELOW);
        beyond.awaitHeld(bytes -> bytes > BELOW);
        beyond.goOn(BEYOND);
        beyond.awaitHeld(bytes -> bytes < BELOW); // it is not kept any more
        Client whole = new Client().send(SMALL).accepted();
        Client inPart = new Client().send(SMALL).accepted();
        inPart.begin(BEYOND, BELOW);
        Client behind = new Client().send(SMALL).accepted();
        Client forgotten = new Client().send(SMALL).accepted();
        Client idle = new Client().send(SMALL).accepted();

        ofFirst.fallSilent();
        forgotten.forgetProducer();
        idle.forgetProducer();
        twice.send(SMALL).send(SMALL).begin(BELOW, SMALL);
        whole.send(BEYOND).send(SMALL);
        behind.send(SMALL).send(BEYOND).send(SMALL);
        forgotten.send(SMALL);
        nodes.node("c").awaitOwned(2, LOST);

        beyond.assertClosed();
        whole.assertClosed();
        forgotten.assertNotKnown();
        behind.accepted();
        inPart.end();
        inPart.accepted();
        idle.send(SMALL).accepted();
        twice.accepted(); // what went again has reached the second owner, and a message has begun there
        Client plain = new Client().send(SMALL).accepted(); // without numbers, as the owner has none for it
        Client plainIdle = new Client().send(SMALL).accepted();

        ofFirst.open();
        nodes.node("b").awaitOwned(1);
        ofSecond.fallSilent();
        inPart.forgetProducer();
        behind.forgetProducer();
        twice.end();
        twice.send(SMALL);
        RelayedTransfer refused = twice.malformed();
        twice.send(SMALL);
        plain.send(SMALL);
        behind.send(SMALL);
        nodes.node("b").awaitOwned(1, LOST);

        plain.assertClosed();
        behind.assertNotKnown();
        twice.accepted();
        assertThat(refused.remoteState()).isInstanceOf(Rejected.class);
        for (Client each : List.of(inPart, idle, plainIdle)) {
            each.send(SMALL).accepted();
        }
        twice.assertStored(0, 1, 2, 3, 4, 5);
        beyond.assertStored(0, 1);
        whole.assertStored(0);
        inPart.assertStored(0, 1, 2);
        behind.assertStored(0, 1, 2, 3);
        forgotten.assertStored(0);
        idle.assertStored(0, 1, 2);
        plain.assertStored(0);
        plainIdle.assertStored(0, 1);
    }
}
