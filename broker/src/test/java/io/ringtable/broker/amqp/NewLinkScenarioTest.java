package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.jms.JMSContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients attach links to addresses of a shard that no node serves, and wait for its next owner (ADR 83). */
@Timeout(300)
class NewLinkScenarioTest {
    private static final String QUEUE = "queue";
    private static final String OTHER = "other";
    private static final String TOPIC = "topic";
    private static final String PARTED = "wide.queue"; // with a part at each node
    private static final String PARTED_TOPIC = "wide.news";
    private static final long LEASE_MS = 3_000;
    private static final long PATIENCE_MS = 10_000 + 2 * LEASE_MS; // of ADR 83
    private static final Symbol QUEUE_NODE = Symbol.valueOf("queue");
    private static final Symbol TOPIC_NODE = Symbol.valueOf("topic");

    @AutoClose
    private static TwoNodes nodes;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TwoNodes(TestCluster.withUsers(TwoNodes.settings())
                .with(
                        "ringtable.lease",
                        LEASE_MS + "ms",
                        "ringtable.queues",
                        String.join(",", QUEUE, OTHER, PARTED),
                        "ringtable.topics",
                        TOPIC + "," + PARTED_TOPIC,
                        "ringtable.dispatch.addresses[0].match",
                        "wide.#",
                        "ringtable.dispatch.addresses[0].parts",
                        2));
    }

    @BeforeEach
    void startOwner() {
        if (nodes.node("owner") == null) {
            nodes.startOwner();
        }
        awaitKnown();
    }

    private static void awaitKnown() {
        for (String whole : List.of(QUEUE, OTHER, TOPIC)) {
            nodes.awaitKnown(whole);
        }
        for (String parted : List.of(PARTED, PARTED_TOPIC)) {
            nodes.awaitKnown(parted, 2);
        }
    }

    @Test
    void aLinkWhoseShardHasNoOwnerWaitsForTheNextOne() throws Exception {
        FrontPeer hasty = FrontPeer.client(nodes.front, "ann", "hasty");
        try (FrontPeer client = FrontPeer.client(nodes.front, "ann", "client")) {
            Session session = client.session();
            Sender parted = client.sender(session, null, "parted", PARTED);
            client.publish(parted, key(nodes.front.keyOf(PARTED, 0)), "before");
            nodes.stopOwner();
            Sender publisher = attach(session, "publisher", queue(QUEUE));
            FrontPeer.Reader consumer = subscribe(
                    session, "consumer", new Source().setAddress(QUEUE).setCapabilities(QUEUE_NODE));
            FrontPeer.Reader durable = subscribe(
                    session,
                    "durable",
                    new Source()
                            .setAddress(TOPIC)
                            .setCapabilities(TOPIC_NODE)
                            .setDurable(TerminusDurability.UNSETTLED_STATE)
                            .setExpiryPolicy(TerminusExpiryPolicy.NEVER));
            Sender anonymous = attach(session, "anonymous", new Target());
            client.await(() -> anonymous.getCredit() > 0);
            OutgoingDelivery first = client.send(anonymous, to(OTHER), "first");
            OutgoingDelivery second = client.send(anonymous, to(OTHER), "second");
            OutgoingDelivery ofPart = client.send(parted, key(nodes.front.keyOf(PARTED, 0)), "of the part");
            Sender given = attach(session, "given up", queue(QUEUE));
            given.close();
            attach(hasty.session(), "of a connection that ends", queue(QUEUE));
            hasty.close();
            client.session(); // the broker has read all of that
            assertThat(publisher.isRemotelyOpen()).isFalse();
            assertThat(consumer.receiver.isRemotelyOpen()).isFalse();
            assertThat(durable.receiver.isRemotelyOpen()).isFalse();
            assertThat(first.getRemoteState()).isNull();
            assertThat(ofPart.getRemoteState()).isNull();

            nodes.startOwner();

            client.await(() -> publisher.getCredit() > 0);
            client.publish(publisher, 2);
            client.await(() -> consumer.receiver.isRemotelyOpen() && durable.receiver.isRemotelyOpen());
            consumer.receiver.addCredit(2);
            client.await(() -> consumer.deliveries.size() == 2);
            assertThat(consumer.accept(0)).isEqualTo("0");
            assertThat(consumer.accept(1)).isEqualTo("1");
            client.await(() -> first.getRemoteState() != null && second.getRemoteState() != null);
            assertThat(first.getRemoteState()).isEqualTo(Accepted.getInstance());
            assertThat(second.getRemoteState()).isEqualTo(Accepted.getInstance());
            client.await(() -> ofPart.getRemoteState() != null);
            assertThat(ofPart.getRemoteState()).isEqualTo(Accepted.getInstance());
            FrontPeer.Reader ofParts = client.reader(session, null, "of parts", PARTED);
            ofParts.receiver.addCredit(2);
            client.await(() -> ofParts.deliveries.size() == 2);
            assertThat(List.of(ofParts.accept(0), ofParts.accept(1))).containsExactly("before", "of the part");
            FrontPeer.Reader ofOther = client.reader(session, null, "of other", OTHER);
            ofOther.receiver.addCredit(2);
            client.await(() -> ofOther.deliveries.size() == 2);
            assertThat(ofOther.accept(0)).isEqualTo("first");
            assertThat(ofOther.accept(1)).isEqualTo("second");
            assertThat(nodes.owner.shard().lookup().find("client", "durable")).isNotNull();
            client.publish(client.sender(client.session(), null, "given up", QUEUE), 1);
        }
    }

    /** Nobody comes in time. Links and messages are refused, one by one, and a subscription is made at no node. */
    @Test
    void whatNoOwnerServesInTimeIsRefusedAndTheConnectionStays() throws Exception {
        String ofOwner = nodes.front.keyOf(PARTED, 0);
        try (FrontPeer client = FrontPeer.client(nodes.front, "ann", "patient");
                JMSContext jms = TestCluster.ann(nodes.front, "subscribes")) {
            Session session = client.session();
            Sender parted = client.sender(session, null, "parted", PARTED);
            client.publish(parted, key(ofOwner), "before");
            nodes.stopOwner();
            long since = System.nanoTime();
            CompletableFuture<Throwable> subscribed = CompletableFuture.supplyAsync(
                    () -> catchThrowable(() -> jms.createDurableConsumer(jms.createTopic(PARTED_TOPIC), "in vain")));
            Sender publisher = attach(session, "publisher", queue(QUEUE));
            FrontPeer.Reader consumer = subscribe(
                    session, "consumer", new Source().setAddress(QUEUE).setCapabilities(QUEUE_NODE));
            Sender anonymous = attach(session, "anonymous", new Target());
            client.await(() -> anonymous.getCredit() > 0);
            OutgoingDelivery waits = client.send(anonymous, to(OTHER), "waits");
            OutgoingDelivery ofPart = client.send(parted, key(ofOwner), "waits for the part");
            client.publish(parted, key(nodes.front.keyOf(PARTED, 1)), "passes");
            Sender fresh = client.sender(session, null, "fresh", PARTED);
            OutgoingDelivery atOnce = client.send(fresh, key(ofOwner), "the first one of its link");
            client.await(() -> atOnce.getRemoteState() != null);
            assertThat(rejection(atOnce)).startsWith("RT-4586");
            client.session(); // the front has read all of that
            assertThat(publisher.isRemotelyOpen() || publisher.isRemotelyClosed())
                    .isFalse();
            assertThat(consumer.receiver.isRemotelyOpen() || consumer.receiver.isRemotelyClosed())
                    .isFalse();
            assertThat(subscribed).isNotDone();
            assertThat(waits.getRemoteState()).isNull();
            assertThat(ofPart.getRemoteState()).isNull();

            assertThat(client.closed(publisher)).startsWith("amqp:connection:forced RT-4533");
            assertThat(client.closed(consumer.receiver)).startsWith("amqp:connection:forced RT-4533");
            client.await(() -> waits.getRemoteState() != null && ofPart.getRemoteState() != null);
            assertThat(rejection(waits)).startsWith("RT-4533");
            assertThat(rejection(ofPart)).startsWith("RT-4586");
            assertThat(subscribed.join()).hasMessageContaining("RT-4533");
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since)).isGreaterThan(PATIENCE_MS);
            assertThat(DirectoryRows.ofSubscription(nodes.database, "in vain")).isNull();

            nodes.startOwner();
            awaitKnown();
            client.publish(parted, key(ofOwner), "after");
            FrontPeer.Reader ofParts = client.reader(session, null, "of parts", PARTED);
            ofParts.receiver.addCredit(4);
            client.await(() -> ofParts.deliveries.size() == 3);
            assertThat(List.of(ofParts.accept(0), ofParts.accept(1), ofParts.accept(2)))
                    .containsExactlyInAnyOrder("before", "passes", "after");
            client.session(); // the front has passed on what the client has settled
        }
    }

    private static Target queue(String name) {
        return new Target().setAddress(name).setCapabilities(QUEUE_NODE);
    }

    /** Asks for a link, and does not wait for the answer. */
    private static Sender attach(Session session, String name, Target target) {
        Sender sender = session.sender(name);
        sender.setSource(new Source().setAddress("me"));
        sender.setTarget(target);
        sender.open();
        return sender;
    }

    private static FrontPeer.Reader subscribe(Session session, String name, Source source) {
        var receiver = session.receiver(name);
        receiver.setSource(source);
        receiver.setTarget(new Target().setAddress("me"));
        receiver.open();
        return new FrontPeer.Reader(receiver);
    }

    private static Properties to(String queue) {
        Properties properties = new Properties();
        properties.setTo(queue);
        return properties;
    }

    private static Properties key(String key) {
        Properties properties = new Properties();
        properties.setGroupId(key);
        return properties;
    }

    private static String rejection(OutgoingDelivery delivery) {
        return ((Rejected) delivery.getRemoteState()).getError().getDescription();
    }
}
