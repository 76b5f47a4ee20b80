package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.amqp.FrontPeer.Carried;
import io.ringtable.broker.amqp.FrontPeer.Reader;
import io.ringtable.broker.amqp.carried.HandedOver;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.wire.Encoded;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An owner lets go of the links of another node's clients, since a third node takes its shard over (ADR 70). */
@Timeout(120)
class RelayHandoverScenarioTest extends RelayScenario {
    private static final Home.Owner NEXT = new Home.Owner("node-c", "host c", "amqp://c:5672");
    private static final String HANDED_OVER = "ringtable:handed-over RT-4614 node 'host c' takes shard 0 over";
    private static final String FORCED = "amqp:connection:forced RT-4535";

    /** Lets go of everything, as for a shard that goes to another node. It serves on here, as nobody stops it. */
    private static CompletableFuture<Void> handOver() {
        return CompletableFuture.runAsync(() -> broker.connections().finish(0, "it goes", NEXT));
    }

    private static void drain(Sender sender) {
        sender.creditStateUpdateHandler(changed -> {
            if (sender.isDraining() && sender.current() == null) {
                sender.drained();
            }
        });
    }

    @Test
    void aPublisherHasItsOutcomesBeforeTheOwnerLetsGo() throws Exception {
        Session session = front.session();
        Sender sender = front.sender(session, carried("c1", "ann"), "out", "public.handed");
        drain(sender);
        OutgoingDelivery sent = front.send(sender, "before");
        CompletableFuture<Void> done = handOver();

        assertThat(front.closed(sender)).startsWith(HANDED_OVER);
        assertThat(sent.getRemoteState()).isEqualTo(Accepted.getInstance());
        assertThat(HandedOver.of(sender.getRemoteCondition()))
                .isEqualTo(new HandedOver(0, "node-c", "host c", "amqp://c:5672"));
        done.get(SECONDS, TimeUnit.SECONDS);
        awaitOwed("public.handed", 1);

        Sender again = front.sender(session, carried("c1", "ann"), "out", "public.handed");
        front.publish(again, 1);
        awaitOwed("public.handed", 2);
        front.end(session, false);
    }

    @Test
    void aTransferThatHasBegunComesToItsEndFirst() throws Exception {
        Session session = front.session();
        Sender sender = front.sender(session, carried("c1", "ann"), "out", "public.begun");
        drain(sender);
        ProtonBuffer whole = ProtonByteArrayBufferAllocator.wrapped(Encoded.text("x".repeat(1_000)));
        OutgoingDelivery sent = sender.next();
        sent.setTag(new byte[] {1});
        sent.streamBytes(whole.copy(0, 500), false);
        front.session(); // the owner has read it
        CompletableFuture<Void> done = handOver();
        front.await(sender::isDraining);

        whole.advanceReadOffset(500);
        sent.streamBytes(whole, true);
        sender.drained();

        assertThat(front.closed(sender)).startsWith(HANDED_OVER);
        assertThat(sent.getRemoteState()).isEqualTo(Accepted.getInstance());
        done.get(SECONDS, TimeUnit.SECONDS);
        awaitOwed("public.begun", 1);
        front.end(session, false);
    }

    @Test
    void aConsumerThatSettlesGoesAndWhatComesLaterStays() throws Exception {
        Session session = front.session();
        Carried client = carried("c1", "ann");
        Sender sender = front.sender(session, carried("c1", "ann"), "out", "public.read");
        drain(sender);
        front.publish(sender, 3);
        Reader reader = front.reader(session, client, "in", "public.read");
        reader.receiver.addCredit(2);
        front.await(() -> reader.deliveries.size() == 2);
        reader.accept(0);
        CompletableFuture<Void> done = handOver();
        front.await(() -> sender.getCredit() == 0);
        reader.receiver.addCredit(10); // too late: the owner gives nothing more
        reader.accept(1);

        assertThat(front.closed(reader.receiver)).startsWith(HANDED_OVER);
        assertThat(front.closed(sender)).startsWith(HANDED_OVER);
        done.get(SECONDS, TimeUnit.SECONDS);
        assertThat(reader.deliveries).hasSize(2);
        awaitOwed("public.read", 1);
        front.end(session, false);
    }

    /** The one holds a delivery, the other one says nothing to the drain. */
    @Test
    void clientsThatAreNotAtRestInTimeConnectAgainAndOthersGo() throws Exception {
        Session holding = front.session();
        Session silent = front.session();
        Session still = front.session();
        Sender quiet = front.sender(still, carried("c3", "ann"), "out", "public.held");
        drain(quiet);
        front.publish(quiet, 1);
        Reader reader = front.reader(holding, carried("c1", "ann"), "in", "public.held");
        reader.receiver.addCredit(5);
        front.await(() -> reader.deliveries.size() == 1);
        Sender deaf = front.sender(silent, carried("c2", "ann"), "out", "public.held");
        CompletableFuture<Void> done = handOver();

        assertThat(front.closed(quiet)).startsWith(HANDED_OVER);
        assertThat(front.closed(reader.receiver)).startsWith(FORCED);
        assertThat(front.closed(deaf)).startsWith(FORCED);
        done.get(SECONDS, TimeUnit.SECONDS);
        front.end(holding, true);
        front.end(silent, true);
        front.end(still, false);
    }
}
