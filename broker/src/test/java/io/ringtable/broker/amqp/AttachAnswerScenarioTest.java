package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A relay is lost while a transfer has no outcome, and the link attaches anew. The client's next transfer comes in the
 * same turn of its node's event loop as the owner's answer, and ahead of it. That answer says what of the link is
 * stored, so nothing may be sent before it is heard (ADR 84).
 */
@Timeout(120)
class AttachAnswerScenarioTest {
    private static final String QUEUE = "q.answer";
    private static final String OTHER = "q.other";
    private static final String CLIENT = "publisher";
    private static final long HELD_SECONDS = 60; // at most

    @AutoClose
    private final TestCluster nodes = new TestCluster(TestCluster.settings(2, "30s")); // longer than the database rests

    @AutoClose
    private final DatabaseDoor toOwner =
            new DatabaseDoor(() -> nodes.node("owner").port());

    private final DatabaseDoor ofOwner = nodes.door("owner");
    private final TestBroker owner = nodes.start(
            "owner",
            "0",
            "ringtable.queues",
            QUEUE + "," + OTHER,
            "ringtable.amqp.advertised-url",
            "amqp://127.0.0.1:" + toOwner.port());
    private final TestBroker front = nodes.start("front", "1");

    AttachAnswerScenarioTest() throws Exception {}

    @Test
    void aTransferThatComesBesideItIsStoredOnceBehindTheOneBefore() throws Exception {
        owner.awaitOwned(0);
        front.awaitOwned(1);
        nodes.awaitKnown(QUEUE, 1);
        try (FrontPeer peer = FrontPeer.client(front, "ann", CLIENT);
                FrontPeer direct = FrontPeer.client(owner, "ann", "other")) {
            Sender sender = peer.sender(peer.session(), null, "to", QUEUE);
            Sender other = direct.sender(direct.session(), null, "to", OTHER);
            peer.publish(sender, 1);

            ofOwner.hold();
            OutgoingDelivery before = peer.send(sender, "1");
            await().until(() -> LinksOf.queue(owner, QUEUE).get(0).messages() == 2);
            toOwner.shut(); // the relay is lost
            ofOwner.goOn();
            await().until(() -> LinksOf.clients(owner, CLIENT).isEmpty());
            ofOwner.hold();
            direct.send(other, "keeps the committer from answering");
            await().until(() -> LinksOf.queue(owner, OTHER).get(0).messages() == 1);
            toOwner.open();
            await().until(() -> !LinksOf.clients(owner, CLIENT).isEmpty()); // with the attach

            CountDownLatch held = holdFront();
            OutgoingDelivery beside = peer.send(sender, "2");
            ofOwner.goOn();
            await().until(() -> !LinksOf.queue(owner, QUEUE).isEmpty()); // it has answered
            held.countDown();

            assertThat(peer.outcome(before)).isEqualTo(Accepted.getInstance());
            assertThat(peer.outcome(beside)).isEqualTo(Accepted.getInstance());
            assertThat(peer.outcome(peer.send(sender, "3"))).isEqualTo(Accepted.getInstance());
            FrontPeer.Reader reader = peer.reader(peer.session(), null, "from", QUEUE);
            reader.receiver.drain(10);
            peer.await(() -> !reader.receiver.isDraining());
            assertThat(IntStream.range(0, reader.deliveries.size()).mapToObj(reader::text))
                    .containsExactly("0", "1", "2", "3");
        }
    }

    /** Has the event loops of the front stand still. @return ends that */
    private CountDownLatch holdFront() {
        CountDownLatch held = new CountDownLatch(1);
        List<EventLoop> loops = front.connections().all().stream()
                .map(each -> each.channel().eventLoop())
                .distinct()
                .toList();
        loops.forEach(loop -> loop.submit(() -> held.await(HELD_SECONDS, TimeUnit.SECONDS)));
        return held;
    }
}
