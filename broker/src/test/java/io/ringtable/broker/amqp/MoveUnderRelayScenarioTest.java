package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A queue moves to another shard of its owner. A client of another node publishes to it meanwhile on a link with
 * numbers, which attaches anew (RT-4664).
 */
@Timeout(120)
class MoveUnderRelayScenarioTest {
    private static final int FROM = 0; // shards, as the next
    private static final int TO = 1;
    private static final int KEPT_BYTES = 1024 * 1024; // of one link

    @AutoClose
    private final TestCluster nodes = new TestCluster(TestCluster.settings(3, "6s"));

    private TestBroker owner;
    private TestBroker front;

    MoveUnderRelayScenarioTest() throws Exception {}

    private void move(String queue, int to) {
        Administrator.of(owner, "").ask(202, "POST", "/addresses/" + queue + "/move?shard=" + to, null);
    }

    private void awaitMoved(String queue) {
        await().until(() -> owner.shard().moveOf(queue) == null && front.shard().moveOf(queue) == null);
    }

    @Test
    void noClientIsClosedAndEachMessageComesOnceAndInOrder() throws Exception {
        owner = nodes.start("owner", "0,1");
        owner.awaitOwned(FROM, TO);
        front = nodes.start("front", "2");
        front.awaitOwned(2);
        List<String> queues = QueuesOf.shard(owner, FROM, 2);
        queues.forEach(queue -> nodes.awaitKnown(queue, 1));
        try (FrontPeer peer = FrontPeer.client(front, "ann", "small");
                FrontPeer ofLarge = FrontPeer.client(front, "ann", "large")) {
            Sender sender = peer.sender(peer.session(), null, "to", queues.get(0));
            peer.publish(sender, 10);
            OutgoingDelivery inPart = peer.begin(sender, "10");
            Sender large = ofLarge.sender(ofLarge.session(), null, "to", queues.get(1));
            ofLarge.publish(large, 1);
            OutgoingDelivery beyond = ofLarge.begin(large, "x".repeat(KEPT_BYTES + 100_000));
            await().until(() -> LinksOf.heldBytes(front, "large") > 0);
            queues.forEach(queue -> move(queue, TO));

            peer.end(inPart);
            List<OutgoingDelivery> sent = new ArrayList<>(List.of(inPart));
            OutgoingDelivery refused = null;
            for (int i = 11; i < 30; i++) {
                refused = i == 20 ? peer.sendMalformed(sender) : refused;
                sent.add(peer.send(sender, String.valueOf(i)));
            }
            for (OutgoingDelivery each : sent) {
                assertThat(peer.outcome(each)).isEqualTo(Accepted.getInstance());
            }
            assertThat(peer.outcome(refused)).isInstanceOf(Rejected.class);
            ofLarge.end(beyond);
            assertThat(ofLarge.closed()).as("it is not kept").contains("RT-4664");

            FrontPeer.Reader reader = peer.reader(peer.session(), null, "from", queues.get(0));
            receive(peer, reader, 30);
            awaitMoved(queues.get(0));
            move(queues.get(0), FROM);
            awaitMoved(queues.get(0));
            assertThat(peer.outcome(peer.send(sender, "30"))).isEqualTo(Accepted.getInstance());
            receive(peer, reader, 31);
            FrontPeer.Reader ofOther = peer.reader(peer.session(), null, "from", queues.get(1));
            receive(peer, ofOther, 1);
            awaitMoved(queues.get(1));
            ofOther.receiver.drain(10);
            peer.await(() -> !ofOther.receiver.isDraining());
            assertThat(ofOther.deliveries).as("the large one is not stored").hasSize(1);
        }
    }

    /** Receives until so many messages have come in all, which are numbered from 0. The old home is emptied first. */
    private static void receive(FrontPeer peer, FrontPeer.Reader reader, int count) {
        for (int i = reader.deliveries.size(); i < count; i++) {
            int number = i;
            reader.receiver.addCredit(1);
            peer.await(() -> reader.deliveries.size() > number);
            assertThat(reader.accept(number)).isEqualTo(String.valueOf(number));
        }
    }
}
