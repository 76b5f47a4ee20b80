package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.amqp.FrontPeer.Carried;
import io.ringtable.broker.amqp.FrontPeer.Reader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients publish and receive through another node as they do on a connection of their own. */
@Timeout(120)
class RelayScenarioTest extends RelayScenario {
    private static final Carried ANN = carried("c1", "ann");
    private static final Carried BOB = carried("c2", "bob");

    @Test
    void anOutcomeFollowsTheCommit() throws Exception {
        Sender sender = front.sender(front.session(), ANN, "to", "public.durable");
        OutgoingDelivery delivery;
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable.db"));
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE"); // no flush can begin
            delivery = front.send(sender, "x");
            front.session();
            assertThat(delivery.getRemoteState()).isNull();
            statement.execute("ROLLBACK");
        }

        front.await(() -> delivery.getRemoteState() != null);
        assertThat(delivery.getRemoteState()).isEqualTo(Accepted.getInstance());
        awaitOwed("public.durable", 1);
    }

    @Test
    void aConsumerGetsWhatItHasCreditForAndADrainEndsTheCredit() {
        Session session = front.session();
        front.publish(front.sender(session, ANN, "to", "public.credit"), 5);
        Reader reader = front.reader(session, ANN, "from", "public.credit");

        reader.receiver.addCredit(2);
        front.await(() -> reader.deliveries.size() == 2);
        assertThat(reader.receiver.getCredit()).isZero();
        reader.receiver.drain(10);
        front.await(() -> !reader.receiver.isDraining());

        assertThat(reader.deliveries).hasSize(5);
        assertThat(reader.receiver.getCredit()).isZero();
        assertThat(List.of(reader.accept(0), reader.accept(1), reader.accept(2), reader.accept(3), reader.accept(4)))
                .containsExactly("0", "1", "2", "3", "4");
        awaitOwed("public.credit", 0);
    }

    @Test
    void releasedMessagesComeAgainAndRejectedOnesAreDead() {
        Session session = front.session();
        front.publish(front.sender(session, ANN, "to", "public.settled"), 2);
        Reader reader = front.reader(session, ANN, "from", "public.settled");
        reader.receiver.addCredit(3);
        front.await(() -> reader.deliveries.size() == 2);

        reader.deliveries.get(0).disposition(new Rejected(), true);
        reader.deliveries.get(1).disposition(Released.getInstance(), true);

        front.await(() -> reader.deliveries.size() == 3);
        assertThat(reader.accept(2)).isEqualTo("1");
        awaitOwed("public.settled", 0);
        awaitOwed("DLQ", 1);
    }

    @Test
    void aBrowserTakesNothing() {
        Session session = front.session();
        front.publish(front.sender(session, ANN, "to", "public.shown"), 3);
        Source copies = new Source()
                .setAddress("public.shown")
                .setCapabilities(Symbol.valueOf("queue"))
                .setDistributionMode(Symbol.valueOf("copy"));
        Reader browser = front.reader(session, ANN, "browser", copies);
        browser.receiver.addCredit(10);

        front.await(() -> browser.deliveries.size() == 3);
        assertThat(browser.text(2)).isEqualTo("2");
        awaitOwed("public.shown", 3);
    }

    @Test
    void aDurableSubscriptionHasTheClientsNamesAndOutlivesItsClient() {
        Session session = front.session();
        Reader lost = front.reader(session, ANN, "kept", durable("public.rates"));
        assertThat(lost.receiver.isRemotelyOpen()).isTrue();
        assertThat(broker.shard().lookup().find(ANN.container(), "kept")).isNotNull();
        front.end(session, true);
        assertThat(broker.shard().lookup().find(ANN.container(), "kept")).isNotNull();

        Carried again = ANN.on("c7"); // the same client on a new connection
        Reader back = front.reader(front.session(), again, "kept", durable("public.rates"));
        back.receiver.close();
        front.closed(back.receiver);
        assertThat(broker.shard().lookup().find(ANN.container(), "kept")).isNull();
    }

    @Test
    void aDurableSubscriptionIsClosedByItsName() {
        Session session = front.session();
        Reader left = front.reader(session, ANN, "by-name", durable("public.rates"));
        left.receiver.detach();
        front.await(left.receiver::isRemotelyDetached);
        assertThat(broker.shard().lookup().find(ANN.container(), "by-name")).isNotNull();

        Reader closing = front.reader(front.session(), ANN, "by-name", (Source) null);
        assertThat(closing.receiver.getRemoteSource().getAddress()).isEqualTo("public.rates");
        closing.receiver.close();
        front.closed(closing.receiver);

        assertThat(broker.shard().lookup().find(ANN.container(), "by-name")).isNull();
    }

    private static Source durable(String topic) {
        return new Source()
                .setAddress(topic)
                .setCapabilities(Symbol.valueOf("topic"))
                .setDurable(TerminusDurability.UNSETTLED_STATE);
    }

    @Test
    void linksOfTwoClientsMayHaveOneName() {
        front.publish(front.sender(front.session(), ANN, "same", "public.first"), 1);
        front.publish(front.sender(front.session(), BOB, "same", "public.second"), 1);

        awaitOwed("public.first", 1);
        awaitOwed("public.second", 1);
    }

    @Test
    void aClientThatComesBackStealsItsLinkWhateverItsWay() throws Exception {
        Reader first = front.reader(front.session(), ANN, "mine", "public.stolen");
        try (FrontPeer direct = FrontPeer.client(broker, "ann", ANN.container())) {
            Reader second = direct.reader(direct.session(), null, "mine", "public.stolen");
            assertThat(front.closed(first.receiver)).startsWith("amqp:link:stolen RT-4049");
            assertThat(second.receiver.isRemotelyOpen()).isTrue();

            Reader third = front.reader(front.session(), ANN.on("c9"), "mine", "public.stolen");
            assertThat(direct.closed(second.receiver)).startsWith("amqp:link:stolen RT-4049");
            assertThat(third.receiver.isRemotelyOpen()).isTrue();
        }
    }

    @Test
    void aLinkMayComeBackUnderItsNameOnItsSession() {
        Session session = front.session();
        Sender first = front.sender(session, ANN, "again", "public.again");
        first.close();
        front.closed(first);

        front.publish(front.sender(session, ANN, "again", "public.again"), 1);
    }

    @Test
    void aClientThatDoesNotReadHoldsUpNobodyElse() {
        int window = 4;
        int many = 100;
        Session filling = front.session();
        front.publish(front.sender(filling, ANN, "to-stuck", "public.stuck"), many);
        front.publish(front.sender(filling, ANN, "to-quick", "public.quick"), many);

        Reader stuck = front.reader(front.session(window), BOB, "from", "public.stuck");
        stuck.receiver.addCredit(many);
        front.await(() -> stuck.deliveries.size() == window);
        Reader quick = front.reader(front.session(), carried("c3", "zoe"), "from", "public.quick");
        quick.receiver.addCredit(many);
        front.await(() -> quick.deliveries.size() == many);
        for (int i = 0; i < many; i++) {
            assertThat(quick.accept(i)).isEqualTo(String.valueOf(i));
        }
        awaitOwed("public.quick", 0);
        front.session();
        assertThat(stuck.deliveries).as("the session's window is closed").hasSize(window);
        awaitOwed("public.stuck", many);

        for (int i = 0; i < many; i++) {
            int next = i;
            front.await(() -> stuck.deliveries.size() > next);
            stuck.accept(i);
        }
        awaitOwed("public.stuck", 0);
    }

    @Test
    void aPublisherWhoseTransferHasNoEndHoldsUpNobodyElse() {
        Sender endless = front.sender(front.session(), ANN, "endless", "public.parts");
        OutgoingDelivery begun = endless.next();
        begun.setTag(new byte[] {1});
        begun.streamBytes(ProtonByteArrayBufferAllocator.wrapped(new byte[1_000_000]));

        front.publish(front.sender(front.session(), BOB, "to", "public.parts"), 10);

        assertThat(begun.getRemoteState()).isNull();
        begun.abort();
        front.publish(endless, 1);
        awaitOwed("public.parts", 11);
    }

    @Test
    void whatALostRelayHasNotSettledGoesToOthers() throws Exception {
        Session session = front.session();
        front.publish(front.sender(session, ANN, "to", "public.lost"), 2);
        Reader lost = front.reader(session, ANN, "from", "public.lost");
        lost.receiver.addCredit(2);
        front.await(() -> lost.deliveries.size() == 2);
        front.close();

        try (FrontPeer other = FrontPeer.client(broker, "bob", "other")) {
            Reader reader = other.reader(other.session(), null, "from", "public.lost");
            reader.receiver.addCredit(2);
            other.await(() -> reader.deliveries.size() == 2);
            assertThat(List.of(reader.accept(0), reader.accept(1))).containsExactly("0", "1");
        }
        Awaitility.await().until(() -> seen(ANN.container()).isEmpty());
    }
}
