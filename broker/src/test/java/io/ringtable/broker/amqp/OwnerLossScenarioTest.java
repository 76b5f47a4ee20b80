package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.status.BrokerState.Phase;
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
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.engine.OutgoingDelivery;
import org.apache.qpid.protonj2.engine.Sender;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The owner of a shard loses its lease, and clients of another node keep their connections (ADR 76, ADR 84). */
@Timeout(300)
class OwnerLossScenarioTest {
    private static final int LOST = 3; // the shard
    private static final long WAIT_MS = 60_000;
    private static final int AT_BOTH_ENDS = 2; // a transfer that has begun counts as waiting and as passed on

    @TempDir
    private Path directory;

    private final Map<String, TestBroker> nodes = new TreeMap<>();
    private final List<Exception> lost = new CopyOnWriteArrayList<>(); // what clients heard of their connections
    private PostgresqlTestDatabase database;
    private DatabaseDoor ofOwner; // its way to the database

    @BeforeEach
    void startNodes() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        ofOwner = new DatabaseDoor(database.settings());
        start("b", "1,3", ofOwner.url());
        start("a", "0", database.settings().properties().url());
        start("c", "2,3", database.settings().properties().url());
        for (TestBroker node : nodes.values()) {
            await().until(() -> node.status().nodes().nodes().stream()
                            .filter(each -> each.state().equals(Phase.ACTIVE.name()))
                            .count()
                    == nodes.size());
        }
    }

    @AfterEach
    void stop() throws Exception {
        if (ofOwner != null) {
            ofOwner.open(); // a node waits for its database before it stops
        }
        for (TestBroker node : nodes.values()) {
            node.close();
        }
        if (ofOwner != null) {
            ofOwner.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private void start(String name, String shards, String url) {
        TestBroker node = TestBroker.start(
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
                        4,
                        "ringtable.lease",
                        "3s",
                        "ringtable.cluster.enabled",
                        true,
                        "ringtable.cluster.shards",
                        shards));
        nodes.put(name, node);
        int first = Integer.parseInt(shards.split(",")[0]);
        await().until(() -> isActive(node, first));
    }

    private static boolean isActive(TestBroker node, int shard) {
        return node.status().shards().stream().filter(ShardStatus::isActive).anyMatch(each -> each.number() == shard);
    }

    /** Makes queues at the owner until so many of them are in the shard that it loses, and the front knows them. */
    private List<String> queues(int count) throws Exception {
        TestBroker owner = nodes.get("b");
        await().until(() -> isActive(owner, LOST));
        List<String> queues = QueuesOf.shard(owner, LOST, count);
        await().until(() -> queues.stream()
                .allMatch(queue -> nodes.get("a").shard().lookup().find(queue) != null));
        return queues;
    }

    private Connection connect() throws JMSException {
        Connection connection = nodes.get("a").jms().createConnection();
        connection.setExceptionListener(lost::add);
        connection.start();
        return connection;
    }

    private static TextMessage receive(MessageConsumer consumer) throws JMSException {
        return (TextMessage) consumer.receive(WAIT_MS);
    }

    @Test
    void clientsOfAnotherNodeKeepTheirConnectionsAndWhatHasNoOutcomeIsStoredOnce() throws Exception {
        List<String> queues = queues(5);
        try (Connection idle = connect();
                Connection holding = connect();
                Connection transacted = connect();
                FrontPeer publishing = FrontPeer.client(nodes.get("a"), "ann", "publishing")) {
            Session ofIdle = idle.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue first = ofIdle.createQueue(queues.get(0));
            MessageProducer producer = ofIdle.createProducer(first);
            MessageProducer toAny = ofIdle.createProducer(null);
            MessageConsumer consumer = ofIdle.createConsumer(first);
            producer.send(ofIdle.createTextMessage("before"));
            toAny.send(first, ofIdle.createTextMessage("before too"));
            assertThat(receive(consumer).getText()).isEqualTo("before");
            assertThat(receive(consumer).getText()).isEqualTo("before too");

            Session ofHolding = holding.createSession(false, Session.CLIENT_ACKNOWLEDGE);
            Queue second = ofHolding.createQueue(queues.get(1));
            MessageConsumer holder = ofHolding.createConsumer(second);
            producerTo(ofHolding, second, "held");
            TextMessage held = receive(holder);
            assertThat(held.getJMSRedelivered()).isFalse();

            Session ofTransacted = transacted.createSession(true, Session.SESSION_TRANSACTED);
            Queue third = ofTransacted.createQueue(queues.get(2));
            MessageProducer inTransactions = ofTransacted.createProducer(third);
            inTransactions.send(ofTransacted.createTextMessage("committed"));
            ofTransacted.commit();
            inTransactions.send(ofTransacted.createTextMessage("rolled back"));

            Sender begun = publishing.sender(publishing.session(), null, "to", queues.get(3));
            OutgoingDelivery inParts = publishing.begin(begun, "in parts");
            await().until(() -> LinksOf.queue(nodes.get("a"), queues.get(3)).stream()
                    .anyMatch(link -> link.unsettled() == AT_BOTH_ENDS));

            Sender ahead = publishing.sender(publishing.session(), null, "ahead", queues.get(4));
            OutgoingDelivery stored = publishing.send(ahead, "0");
            assertThat(publishing.outcome(stored)).isEqualTo(Accepted.getInstance());

            ofOwner.fallSilent();
            OutgoingDelivery one = publishing.send(ahead, "1");
            OutgoingDelivery refused = publishing.sendMalformed(ahead);
            OutgoingDelivery two = publishing.send(ahead, "2");
            OutgoingDelivery three = publishing.send(ahead, "3");
            await().until(() -> isActive(nodes.get("c"), LOST));
            await().until(() -> !LinksOf.all(nodes.get("c")).isEmpty());

            producer.send(ofIdle.createTextMessage("after"));
            toAny.send(first, ofIdle.createTextMessage("after too"));
            assertThat(nextNew(consumer).getText()).isEqualTo("after");
            assertThat(receive(consumer).getText()).isEqualTo("after too");

            TextMessage again = receive(holder);
            assertThat(again.getText()).isEqualTo("held");
            assertThat(again.getJMSRedelivered()).isTrue();
            held.acknowledge(); // of both
            producerTo(ofHolding, second, "next");
            TextMessage next = receive(holder);
            assertThat(next.getText()).isEqualTo("next");
            next.acknowledge();

            assertThatThrownBy(ofTransacted::commit).hasMessageContaining("amqp:transaction:rollback");
            inTransactions.send(ofTransacted.createTextMessage("committed too"));
            ofTransacted.commit();
            MessageConsumer ofThird = ofIdle.createConsumer(third);
            assertThat(receive(ofThird).getText()).isEqualTo("committed");
            assertThat(receive(ofThird).getText()).isEqualTo("committed too");

            publishing.end(inParts);
            for (OutgoingDelivery each : List.of(one, two, three, inParts)) {
                assertThat(publishing.outcome(each)).isEqualTo(Accepted.getInstance());
            }
            assertThat(publishing.outcome(refused)).isInstanceOf(Rejected.class);
            assertThat(texts(publishing, queues.get(3), 1)).containsExactly("in parts");
            assertThat(texts(publishing, queues.get(4), 4)).containsExactly("0", "1", "2", "3");
        }
        assertThat(lost).isEmpty();
    }

    /** Returns what is in a queue, of which so much is there. */
    private static List<String> texts(FrontPeer peer, String queue, int count) {
        FrontPeer.Reader reader = peer.reader(peer.session(), null, "of " + queue, queue);
        reader.receiver.drain(2 * count);
        peer.await(() -> !reader.receiver.isDraining());
        return IntStream.range(0, reader.deliveries.size())
                .mapToObj(reader::accept)
                .toList();
    }

    private static void producerTo(Session session, Queue queue, String text) throws JMSException {
        try (MessageProducer producer = session.createProducer(queue)) {
            producer.send(session.createTextMessage(text));
        }
    }

    /** Receives up to a message that has not come before. Others come again, flagged: their settlement was lost. */
    private static TextMessage nextNew(MessageConsumer consumer) throws JMSException {
        TextMessage message = receive(consumer);
        while (message.getJMSRedelivered()) {
            message = receive(consumer);
        }
        return message;
    }
}
