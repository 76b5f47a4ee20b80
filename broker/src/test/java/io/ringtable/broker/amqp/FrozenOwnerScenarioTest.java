package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An owner stands still: nothing comes from it, for its clients, the database and other nodes. The front sees another
 * owner, and gives the relay up long before it has been silent for two leases (ADR 76). The front's lease is the longer
 * one, so that these two events are far apart.
 */
@Timeout(300)
class FrozenOwnerScenarioTest {
    private static final int LOST = 1; // the shard
    private static final long WAIT_MS = 60_000;

    @TempDir
    private Path directory;

    private final List<Exception> lost = new CopyOnWriteArrayList<>(); // what clients heard of their connections
    private PostgresqlTestDatabase database;
    private DatabaseDoor toDatabase; // from the owner, as the next to it
    private DatabaseDoor toOwner;
    private TestBroker owner;
    private TestBroker front;

    @BeforeEach
    void startNodes() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        toDatabase = new DatabaseDoor(database.settings());
        toOwner = new DatabaseDoor(() -> owner.port());
        owner = start("owner", "1", "5s", toDatabase.url(), "amqp://127.0.0.1:" + toOwner.port());
        await().until(() -> isActive(owner, LOST));
        front = start("front", "0,1", "10s", database.settings().properties().url(), null);
        await().until(() -> isActive(front, 0));
    }

    @AfterEach
    void stop() throws Exception {
        if (toDatabase != null) {
            toDatabase.open(); // a node waits for its database before it stops
        }
        if (front != null) {
            front.close();
        }
        if (owner != null) {
            owner.close();
        }
        if (toOwner != null) {
            toOwner.close();
            toDatabase.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private TestBroker start(String name, String shards, String lease, String url, String advertised) {
        return TestBroker.start(
                TestSettings.of(
                                "ringtable.store.url",
                                url,
                                "ringtable.store.username",
                                database.settings().properties().username(),
                                "ringtable.store.password",
                                database.settings().properties().password())
                        .store(directory.resolve(name)),
                TestSettings.of(
                        "ringtable.shards",
                        2,
                        "ringtable.lease",
                        lease,
                        "ringtable.amqp.advertised-url",
                        advertised,
                        "ringtable.cluster.enabled",
                        true,
                        "ringtable.cluster.shards",
                        shards));
    }

    private static boolean isActive(TestBroker node, int shard) {
        return node.status().shards().stream().filter(ShardStatus::isActive).anyMatch(each -> each.number() == shard);
    }

    /** Makes queues at the owner until so many of them are in its shard, and the front knows them. */
    private List<String> queues(int count) throws Exception {
        List<String> queues = QueuesOf.shard(owner, LOST, count);
        await().until(() -> queues.stream().allMatch(this::isSeen));
        return queues;
    }

    /** Tells whether the front knows the queue, and where its owner is. */
    private boolean isSeen(String queue) {
        Address known = front.shard().lookup().find(queue);
        Home.Owner its = known == null ? null : front.shard().homeOf(known).elsewhere();
        return its != null && its.url() != null;
    }

    @Test
    void theFrontSendsNoMoreToAnOwnerOnceItSeesAnotherOne() throws Exception {
        List<String> queues = queues(3);
        try (Connection idle = connect();
                Connection later = connect();
                FrontPeer publishing = FrontPeer.client(front, "ann", "publishing")) {
            Session ofIdle = idle.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue first = ofIdle.createQueue(queues.get(0));
            MessageProducer producer = ofIdle.createProducer(first);
            MessageConsumer consumer = ofIdle.createConsumer(first);
            Session ofLater = later.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue second = ofLater.createQueue(queues.get(1));
            MessageProducer toSecond = ofLater.createProducer(second);
            MessageProducer toAny = ofLater.createProducer(null);
            toAny.send(second, ofLater.createTextMessage("before"));
            Sender waiting = publishing.sender(publishing.session(), null, "to", queues.get(2));

            toOwner.fallSilent();
            OutgoingDelivery sent = publishing.send(waiting, "without an outcome");
            await().until(() -> LinksOf.queue(front, queues.get(2)).stream()
                    .anyMatch(link -> link.messages() == 1)); // it has left for the owner
            toDatabase.fallSilent();
            await().until(this::seesItself);
            LinksOf.all(front); // each event loop has heard of that look

            toSecond.send(ofLater.createTextMessage("of the one that waits"));
            toAny.send(second, ofLater.createTextMessage("of the other one that waits"));
            producer.send(ofIdle.createTextMessage("after"));
            assertThat(receive(consumer)).isEqualTo("after");
            MessageConsumer ofSecond = ofLater.createConsumer(second);
            later.start();
            assertThat(receive(ofSecond)).isEqualTo("before");
            assertThat(receive(ofSecond)).isEqualTo("of the one that waits");
            assertThat(receive(ofSecond)).isEqualTo("of the other one that waits");
            assertThat(publishing.outcome(sent)).isEqualTo(Accepted.getInstance());
            publishing.send(waiting, "the next one");
            FrontPeer.Reader ofThird = publishing.reader(publishing.session(), null, "from", queues.get(2));
            ofThird.receiver.addCredit(2);
            publishing.await(() -> ofThird.deliveries.size() == 2);
            assertThat(ofThird.accept(0)).isEqualTo("without an outcome");
            assertThat(ofThird.accept(1)).isEqualTo("the next one");
        }
        assertThat(lost).isEmpty();
    }

    /** Tells whether the front has seen that it owns the shard itself. */
    private boolean seesItself() {
        return front.status().nodes().nodes().stream()
                .filter(NodesStatus.Node::self)
                .flatMap(node -> node.shards().stream())
                .anyMatch(shard -> shard.shard() == LOST);
    }

    private Connection connect() throws JMSException {
        Connection connection = front.jms().createConnection();
        connection.setExceptionListener(lost::add);
        connection.start();
        return connection;
    }

    private static String receive(MessageConsumer consumer) throws JMSException {
        return ((TextMessage) consumer.receive(WAIT_MS)).getText();
    }
}
