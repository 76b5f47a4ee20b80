package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.qpid.protonj2.engine.IncomingDelivery;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Receiver;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients of one node reach addresses that another node owns.
 * <p>Longer than others, because all tests share the two nodes.
 */
@Timeout(120)
class FrontScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int NEW_QUEUES = 40; // some of which the front hears of at the moment in question
    private static final int TRANSACTIONS = 2; // that a client may have open at the owner
    private static final String TRANSACTIONS_MAX = "ringtable.amqp.transactions-max";
    private static final String ADVERTISED = "ringtable.amqp.advertised-url";

    @AutoClose
    static TwoNodes nodes;

    @AutoClose
    static DatabaseDoor toOwner; // from the front

    static TestBroker owner;
    static TestBroker front;

    @BeforeAll
    static void start() throws Exception {
        toOwner = new DatabaseDoor(() -> nodes.owner.port());
        TestSettings settings = TestCluster.withUsers(TwoNodes.settings())
                .with(
                        "ringtable.queues",
                        "q.one,q.big,q.browse,q.tx,q.tx2,q.tx3,q.tx4,q.lost,q.stuck,q.quick,q.ask,q.selected,q.rights,"
                                + "q.drain,q.seen",
                        "ringtable.topics",
                        "t.prices",
                        TRANSACTIONS_MAX,
                        TRANSACTIONS,
                        ADVERTISED,
                        "amqp://127.0.0.1:" + toOwner.port())
                .with(
                        "ringtable.security.rules[1].match", "q.rights",
                        "ringtable.security.rules[1].groups", "traders",
                        "ringtable.security.rules[1].permissions", "send");
        nodes = new TwoNodes(settings, TRANSACTIONS_MAX, null, ADVERTISED, null);
        owner = nodes.owner;
        front = nodes.front;
        RelayScenario.broker = owner;
        nodes.awaitKnown("q.seen");
        nodes.awaitKnown("t.prices");
    }

    @Test
    void aQueueGivesEveryMessageOnceAndInOrder() throws Exception {
        try (Connection connection = TestCluster.connect(front)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("q.one");
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < 1000; i++) {
                producer.send(session.createTextMessage("order " + i));
            }
            MessageConsumer consumer = session.createConsumer(queue);
            for (int i = 0; i < 1000; i++) {
                TextMessage message = (TextMessage) consumer.receive(WAIT_MS);
                assertThat(message).isNotNull();
                assertThat(message.getText()).isEqualTo("order " + i);
            }
            assertThat(consumer.receiveNoWait()).isNull();
        }
        RelayScenario.broker = owner;
        RelayScenario.awaitOwed("q.one", 0);
    }

    /** The front hears of each queue while the first messages for it wait, since nobody knows the queue yet. */
    @Test
    void messagesForNewQueuesOfTheOwnerKeepTheirOrder() {
        try (JMSContext atOwner = owner.jms("ann", "of ann").createContext();
                JMSContext atFront = front.jms("ann", "of ann").createContext()) {
            SendOutcomes outcomes = new SendOutcomes();
            JMSProducer producer = atFront.createProducer().setAsync(outcomes);
            for (int i = 0; i < NEW_QUEUES; i++) {
                String queue = "q.new." + i;
                atOwner.createConsumer(atOwner.createQueue(queue)).close();
                for (int j = 0; j < 20; j++) {
                    producer.send(atFront.createQueue(queue), String.valueOf(j));
                }
                int sent = 20 * (i + 1);
                Awaitility.await().until(() -> outcomes.accepted.get() == sent);
            }
            for (int i = 0; i < NEW_QUEUES; i++) {
                JMSConsumer consumer = atOwner.createConsumer(atOwner.createQueue("q.new." + i));
                for (int j = 0; j < 20; j++) {
                    assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo(String.valueOf(j));
                }
                consumer.close();
            }
        }
    }

    @Test
    void largeMessages() throws Exception {
        byte[] body = new byte[5_000_000];
        new Random(1).nextBytes(body);
        try (Connection connection = TestCluster.connect(front)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("q.big");
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < 3; i++) {
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(body);
                producer.send(message);
            }
            MessageConsumer consumer = session.createConsumer(queue);
            for (int i = 0; i < 3; i++) {
                BytesMessage message = (BytesMessage) consumer.receive(WAIT_MS);
                byte[] got = new byte[body.length];
                message.readBytes(got);
                assertThat(got).isEqualTo(body);
            }
        }
    }

    @Test
    void browsing() throws Exception {
        try (Connection connection = TestCluster.connect(front)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("q.browse");
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < 10; i++) {
                producer.send(session.createTextMessage("order " + i));
            }
            QueueBrowser browser = session.createBrowser(queue);
            int seen = 0;
            for (java.util.Enumeration<?> all = browser.getEnumeration(); all.hasMoreElements(); all.nextElement()) {
                seen++;
            }
            assertThat(seen).isEqualTo(10);
        }
    }

    @Test
    void transactionsCommitAndRollBack() throws Exception {
        try (Connection connection = TestCluster.connect(front)) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            Queue from = session.createQueue("q.tx");
            Queue to = session.createQueue("q.tx2");
            MessageProducer producer = session.createProducer(from);
            for (int i = 0; i < 10; i++) {
                producer.send(session.createTextMessage("m" + i));
            }
            producer.close();
            session.commit();
            MessageConsumer consumer = session.createConsumer(from);
            MessageProducer forward = session.createProducer(to);
            for (int i = 0; i < 5; i++) {
                forward.send(consumer.receive(WAIT_MS));
            }
            session.rollback();
            for (int i = 0; i < 10; i++) {
                TextMessage message = (TextMessage) consumer.receive(WAIT_MS);
                assertThat(message.getText()).isEqualTo("m" + i);
                assertThat(message.getJMSRedelivered()).isEqualTo(i < 5);
                forward.send(message);
            }
            session.commit();
            consumer.close();
            MessageConsumer all = session.createConsumer(to);
            for (int i = 0; i < 10; i++) {
                assertThat(((TextMessage) all.receive(WAIT_MS)).getText()).isEqualTo("m" + i);
            }
            session.commit();
            assertThat(session.createConsumer(from).receiveNoWait()).isNull();
        }
    }

    /** A client that went on could give back the messages behind, and be served these before those that come back. */
    @Test
    void aRollbackIsAnsweredOnceTheOwnerHasTheDeliveriesBack() throws Exception {
        try (FrontPeer client = FrontPeer.client(front, "ann", "rolls back")) {
            client.publish(client.sender(client.session(), null, "to", "q.tx4"), 2);
            FrontPeer.Reader reader = client.reader(client.session(), null, "from", "q.tx4");
            reader.receiver.addCredit(1);
            client.await(() -> reader.deliveries.size() == 1);
            Sender coordinator = client.coordinator(client.session());
            Binary transaction = client.declare(coordinator);

            toOwner.hold();
            reader.accept(0, transaction);
            OutgoingDelivery rollback = client.discharge(coordinator, transaction, true);
            client.declare(coordinator); // the front has read the rollback
            assertThat(rollback.getRemoteState()).isNull();
            toOwner.goOn();
            assertThat(client.outcome(rollback)).isEqualTo(Accepted.getInstance());
            reader.receiver.addCredit(1);
            client.await(() -> reader.deliveries.size() == 2);
            assertThat(reader.accept(1)).isEqualTo("0");
        }
    }

    @Test
    void aTransactionThatTheOwnerDoesNotBeginRollsBack() throws Exception {
        try (Connection connection = front.jms("ann", "of ann").createConnection()) {
            List<Session> open = new ArrayList<>();
            for (int i = 0; i < TRANSACTIONS; i++) {
                Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
                session.createProducer(session.createQueue("q.tx3")).send(session.createTextMessage("kept"));
                open.add(session);
            }
            Session more = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageProducer producer = more.createProducer(more.createQueue("q.tx3"));
            producer.send(more.createTextMessage("one too many"));
            assertThatThrownBy(more::commit).isInstanceOf(JMSException.class).hasMessageContaining("RT-4076");
            for (Session session : open) {
                session.commit();
            }
            producer.send(more.createTextMessage("once more"));
            more.commit();
        }
        RelayScenario.awaitOwed("q.tx3", TRANSACTIONS + 1);
    }

    @Test
    void aTransactionOverTwoNodesIsRefused() throws Exception {
        try (Connection connection = TestCluster.connect(front)) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            session.createProducer(session.createQueue("q.tx")).send(session.createTextMessage("there"));
            session.createProducer(session.createQueue("here")).send(session.createTextMessage("here"));
            assertThatThrownBy(session::commit)
                    .isInstanceOf(jakarta.jms.JMSException.class)
                    .hasMessageContaining("RT-4567");
            assertThat(session.createConsumer(session.createQueue("q.tx")).receiveNoWait())
                    .isNull();
            assertThat(session.createConsumer(session.createQueue("here")).receiveNoWait())
                    .isNull();
        }
    }

    @Test
    void aRequestIsAnsweredAcrossNodes() throws Exception {
        try (Connection asking = front.jms("ann", "of ann").createConnection();
                Connection answering = owner.jms("ann", "of ann").createConnection()) {
            asking.start();
            answering.start();
            Session asks = asking.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Session answers = answering.createSession(false, Session.AUTO_ACKNOWLEDGE);
            TemporaryQueue replies = asks.createTemporaryQueue();
            TextMessage request = asks.createTextMessage("how much?");
            request.setJMSReplyTo(replies);
            asks.createProducer(asks.createQueue("q.ask")).send(request);

            Message asked = answers.createConsumer(answers.createQueue("q.ask")).receive(WAIT_MS);
            answers.createProducer(null).send(asked.getJMSReplyTo(), answers.createTextMessage("seven"));
            answers.createProducer(asked.getJMSReplyTo()).send(answers.createTextMessage("or eight"));

            MessageConsumer consumer = asks.createConsumer(replies);
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("seven");
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("or eight");
        }
    }

    @Test
    void aSelectorIsTheOwners() throws Exception {
        try (Connection connection = TestCluster.connect(front)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue("q.selected");
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < 10; i++) {
                TextMessage message = session.createTextMessage("m" + i);
                message.setIntProperty("n", i);
                producer.send(message);
            }
            MessageConsumer high = session.createConsumer(queue, "n > 4");
            for (int i = 5; i < 10; i++) {
                assertThat(((TextMessage) high.receive(WAIT_MS)).getText()).isEqualTo("m" + i);
            }
            assertThat(high.receiveNoWait()).isNull();
        }
    }

    @Test
    void aSharedDurableSubscriptionIsOneForClientsOfBothNodes() throws Exception {
        try (JMSContext here = front.jms("ann", "of ann").createContext();
                JMSContext there = owner.jms("ann", "of ann").createContext()) {
            here.createSharedDurableConsumer(here.createTopic("t.prices"), "audit")
                    .close();
            there.createProducer().send(there.createTopic("t.prices"), "1");
            here.createProducer().send(here.createTopic("t.prices"), "2");
            JMSConsumer first = there.createSharedDurableConsumer(there.createTopic("t.prices"), "audit");
            assertThat(first.receiveBody(String.class, WAIT_MS)).isEqualTo("1");
            first.close();
            JMSConsumer second = here.createSharedDurableConsumer(here.createTopic("t.prices"), "audit");
            assertThat(second.receiveBody(String.class, WAIT_MS)).isEqualTo("2");
            second.close();
            here.unsubscribe("audit");
        }
    }

    @Test
    void whatALostClientHadComesAgainCounted() throws Exception {
        try (FrontPeer lost = FrontPeer.client(front, "ann", "lost")) {
            org.apache.qpid.protonj2.engine.Session its = lost.session();
            lost.publish(lost.sender(its, null, "to", "q.lost"), 2);
            FrontPeer.Reader reader = lost.reader(its, null, "from", "q.lost");
            reader.receiver.addCredit(2);
            lost.await(() -> reader.deliveries.size() == 2);
        }
        try (Connection connection = TestCluster.connect(owner)) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(session.createQueue("q.lost"));
            for (int i = 0; i < 2; i++) {
                Message again = consumer.receive(WAIT_MS);
                assertThat(again.getIntProperty("JMSXDeliveryCount")).isEqualTo(2);
            }
        }
    }

    @Test
    void aClientThatDoesNotReadHoldsUpNobodyElse() throws Exception {
        int many = 300;
        String text = "x".repeat(20_000);
        try (FrontPeer stuck = FrontPeer.client(front, "ann", "stuck");
                FrontPeer quick = FrontPeer.client(front, "ann", "quick")) {
            org.apache.qpid.protonj2.engine.Session filling = quick.session();
            Sender toStuck = quick.sender(filling, null, "to-stuck", "q.stuck");
            Sender toQuick = quick.sender(filling, null, "to-quick", "q.quick");
            for (int i = 0; i < many; i++) {
                quick.await(() -> toStuck.getCredit() > 0 && toStuck.isSendable());
                quick.send(toStuck, text);
                quick.await(() -> toQuick.getCredit() > 0 && toQuick.isSendable());
                quick.send(toQuick, String.valueOf(i));
            }
            FrontPeer.Reader nobody = stuck.reader(stuck.session(4), null, "from", "q.stuck");
            nobody.receiver.addCredit(many);
            stuck.await(() -> nobody.deliveries.size() == 4);

            FrontPeer.Reader reader = quick.reader(quick.session(), null, "from", "q.quick");
            reader.receiver.addCredit(many);
            quick.await(() -> reader.deliveries.size() == many);
            for (int i = 0; i < many; i++) {
                assertThat(reader.accept(i)).isEqualTo(String.valueOf(i));
            }
            RelayScenario.awaitOwed("q.quick", 0);
            long unsettled = RelayScenario.seen("stuck").get(0).unsettled();
            assertThat(unsettled)
                    .as("deliveries of a window, not of the credit")
                    .isBetween(4L, 100L);

            for (int i = 0; i < many; i++) {
                int next = i;
                stuck.await(() -> nobody.deliveries.size() > next);
                nobody.accept(i);
            }
            RelayScenario.awaitOwed("q.stuck", 0);
        }
    }

    /** A client tells its credit again whenever it has read: also behind a drain that the owner has answered. */
    @Test
    void whatAClientRepeatsBehindAnAnsweredDrainIsNoNewCredit() throws Exception {
        String large = "x".repeat(300_000); // several windows of the client
        try (FrontPeer peer = FrontPeer.client(front, "ann", "drainer")) {
            org.apache.qpid.protonj2.engine.Session wide = peer.session();
            Sender sender = peer.sender(wide, null, "out", "q.drain");
            publish(peer, sender, large, 2);
            Receiver receiver = peer.session(1).receiver("in");
            receiver.setSource(new Source().setAddress("q.drain"));
            receiver.setTarget(new Target().setAddress("me"));
            receiver.setSenderSettleMode(SenderSettleMode.SETTLED);
            List<IncomingDelivery> come = new ArrayList<>();
            receiver.deliveryReadHandler(delivery -> {
                if (!come.contains(delivery)) {
                    come.add(delivery);
                }
            });
            peer.opened(receiver);
            receiver.drain(5);
            RelayScenario.broker = owner;
            RelayScenario.awaitOwed("q.drain", 0); // the owner has sent both, and answers the drain
            publish(peer, sender, large, 3); // behind that answer

            AtomicInteger complete = new AtomicInteger();
            receiver.deliveryReadHandler(delivery -> {
                delivery.readAll();
                complete.addAndGet(delivery.isPartial() ? 0 : 1);
            });
            come.forEach(IncomingDelivery::readAll);
            peer.await(() -> !receiver.isDraining());
            publish(peer, sender, large, 1); // behind all that the client has told

            RelayScenario.awaitOwed("q.drain", 4);
            int before = complete.get();
            receiver.addCredit(4);
            peer.await(() -> complete.get() == before + 4);
        }
    }

    private static void publish(FrontPeer peer, Sender sender, String text, int count) {
        for (int i = 0; i < count; i++) {
            peer.await(() -> sender.getCredit() > 0 && sender.isSendable());
            OutgoingDelivery delivery = peer.send(sender, text);
            peer.await(() -> delivery.getRemoteState() != null);
            assertThat(delivery.getRemoteState()).isEqualTo(Accepted.getInstance());
        }
    }

    @Test
    void rightsAreThoseOfTheUserOnBothNodes() throws Exception {
        try (Connection connection = front.jms("bob", "of bob").createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            assertThatThrownBy(() -> session.createProducer(session.createQueue("q.rights")))
                    .isInstanceOf(JMSSecurityException.class)
                    .hasMessageContaining("RT-4350 user 'bob'");
            assertThatThrownBy(() -> session.createConsumer(session.createQueue("q.rights")))
                    .isInstanceOf(JMSSecurityException.class);
        }
    }

    @Test
    void theOwnerListsTheClientsThatComeThroughTheFront() throws Exception {
        try (JMSContext context = front.jms("ann", "of ann").createContext()) {
            context.setClientID("desk-7");
            context.createConsumer(context.createQueue("q.seen"));
            assertThat(RelayScenario.seen("desk-7")).singleElement().satisfies(seen -> {
                assertThat(seen.user()).isEqualTo("ann");
                assertThat(seen.remote()).contains(" through ");
            });
            assertThat(front.counters().relays.sum()).isPositive();
            assertThat(front.counters().relayedLinks.sum()).isPositive();
        }
        Awaitility.await().until(() -> RelayScenario.seen("desk-7").isEmpty());
        Awaitility.await().until(() -> front.counters().relayedLinks.sum() == 0);
    }
}
