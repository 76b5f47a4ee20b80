package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.wire.Encoded;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.engine.Session;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients attach links to addresses of a shard that no node serves, and wait for its next owner (ADR 83). */
@Timeout(300)
class NewLinkScenarioTest {
    private static final String QUEUE = "queue";
    private static final String OTHER = "other";
    private static final String TOPIC = "topic";
    private static final Symbol QUEUE_NODE = Symbol.valueOf("queue");
    private static final Symbol TOPIC_NODE = Symbol.valueOf("topic");

    @TempDir
    private Path directory;

    private PostgresqlTestDatabase database;
    private TwoNodes nodes;

    @BeforeEach
    void start() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        nodes = new TwoNodes(
                directory,
                database.settings(),
                TwoNodes.settings()
                        .with("ringtable.queues[0]", QUEUE, "ringtable.queues[1]", OTHER, "ringtable.topics", TOPIC)
                        .with("ringtable.lease", "20s") // links wait for two of them
                        .authenticator(RelayScenario.USERS));
        nodes.awaitKnown(QUEUE);
        nodes.awaitKnown(OTHER);
        nodes.awaitKnown(TOPIC);
    }

    @AfterEach
    void stop() throws Exception {
        if (nodes != null) {
            nodes.close();
        }
        if (database != null) {
            database.close();
        }
    }

    /** Stops the owner; nobody else may have its shard. */
    private void stopOwner() {
        nodes.owner.close();
        await().until(() -> {
            var refusal =
                    nodes.front.shard().refusalFor(nodes.front.shard().lookup().find(QUEUE));
            return refusal != null && refusal.code().equals("RT-4533");
        });
    }

    @Test
    void aLinkWhoseShardHasNoOwnerWaitsForTheNextOne() throws Exception {
        stopOwner();
        FrontPeer hasty = FrontPeer.client(nodes.front, "ann", "hasty");
        try (FrontPeer client = FrontPeer.client(nodes.front, "ann", "client")) {
            Session session = client.session();
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
            OutgoingDelivery first = sendTo(anonymous, OTHER, "first");
            OutgoingDelivery second = sendTo(anonymous, OTHER, "second");
            Sender given = attach(session, "given up", queue(QUEUE));
            given.close();
            attach(hasty.session(), "of a connection that ends", queue(QUEUE));
            hasty.close();
            client.session(); // the broker has read all of that
            assertThat(publisher.isRemotelyOpen()).isFalse();
            assertThat(consumer.receiver.isRemotelyOpen()).isFalse();
            assertThat(durable.receiver.isRemotelyOpen()).isFalse();
            assertThat(first.getRemoteState()).isNull();

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
            FrontPeer.Reader ofOther = client.reader(session, null, "of other", OTHER);
            ofOther.receiver.addCredit(2);
            client.await(() -> ofOther.deliveries.size() == 2);
            assertThat(ofOther.accept(0)).isEqualTo("first");
            assertThat(ofOther.accept(1)).isEqualTo("second");
            assertThat(nodes.owner.shard().lookup().find("client", "durable")).isNotNull();
            client.publish(client.sender(client.session(), null, "given up", QUEUE), 1);
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

    private static OutgoingDelivery sendTo(Sender anonymous, String queue, String text) {
        OutgoingDelivery delivery = anonymous.next();
        delivery.setTag(text.getBytes(StandardCharsets.UTF_8));
        Properties to = new Properties();
        to.setTo(queue);
        delivery.writeBytes(ProtonByteArrayBufferAllocator.wrapped(
                Encoded.message(to, new Data(text.getBytes(StandardCharsets.UTF_8)))));
        return delivery;
    }
}
