package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A node of a cluster that has no shard carries its clients to the others (ADR 69). There are two shards. Where no node
 * may take the second one, nothing is given back by itself, as nodes give nothing while a shard is free.
 */
@Timeout(300)
class FrontWithoutShardScenarioTest {
    private static final long WAIT_MS = 60_000;

    @AutoClose
    private TestCluster cluster;

    @BeforeEach
    void makeDatabase() throws Exception {
        cluster = new TestCluster(TestCluster.settings(2, "2s"));
    }

    // ---- without any shard from the start

    @Test
    void clientsReachEveryAddressThroughANodeWithoutAShard() throws Exception {
        TestBroker owner = cluster.start("owner", "0");
        owner.awaitOwned(0);
        TestBroker front = cluster.start("front", "0");
        assertThat(front.owned()).isEmpty();
        assertThat(front.status().state().phase()).isEqualTo(Phase.ACTIVE);
        assertThat(front.port()).isPositive();
        front.awaitOwner(0);
        assertThat(front.status().shards()).noneMatch(ShardStatus::isMissed);
        cluster.awaitSeen();

        try (JMSContext context = front.jms().createContext(JMSContext.SESSION_TRANSACTED)) {
            context.createProducer().send(context.createQueue("made.here"), "rolled back");
            context.rollback();
            context.createProducer().send(context.createQueue("made.here"), "committed");
            context.commit();
        }
        try (JMSContext context = front.jms().createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue("made.here"));
            assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("committed");
            JMSConsumer prices = context.createConsumer(context.createTopic("prices"));
            context.createProducer().send(context.createTopic("prices"), "up");
            assertThat(prices.receiveBody(String.class, WAIT_MS)).isEqualTo("up");
        }
        assertThat(ShardIds.shardOf(owner.shard().lookup().find("made.here").id()))
                .isZero();
        askAndAnswer(front);

        Administrator atFront = Administrator.of(front, "");
        assertThat(atFront.get("/status").toString()).contains("ACTIVE");
        assertThat(atFront.get("/shards").get("items").size()).isEqualTo(2);
        assertThat(atFront.get("/addresses").toString()).contains("made.here");
    }

    /** Sends a request with a temporary queue for the answer, over links to one address and over one to none. */
    private static void askAndAnswer(TestBroker node) throws Exception {
        try (Connection connection = node.jms().createConnection();
                Connection server = node.jms().createConnection()) {
            connection.start();
            server.start();
            Session session = connection.createSession();
            TemporaryQueue answers = session.createTemporaryQueue();
            MessageConsumer consumer = session.createConsumer(answers);
            TextMessage request = session.createTextMessage("what?");
            request.setJMSReplyTo(answers);
            session.createProducer(null).send(session.createQueue("new.by.an.anonymous.link"), request);

            Session answering = server.createSession();
            TextMessage asked = (TextMessage) answering
                    .createConsumer(answering.createQueue("new.by.an.anonymous.link"))
                    .receive(WAIT_MS);
            assertThat(asked.getText()).isEqualTo("what?");
            answering.createProducer(null).send(asked.getJMSReplyTo(), answering.createTextMessage("that"));
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("that");
        }
    }

    @Test
    void theNodeTakesAShardThatBecomesFreeAndKeepsItsListener() throws Exception {
        TestBroker owner = cluster.start("owner", "0");
        owner.awaitOwned(0);
        TestBroker front = cluster.start("front", "0");
        int port = front.port();
        front.awaitOwner(0);
        try (JMSContext stays = front.jms().createContext();
                JMSContext sends = front.jms().createContext()) {
            stays.start();
            sends.createProducer().send(sends.createQueue("orders"), "one");
            cluster.stop("owner");
            front.awaitOwned(0);
            assertThat(front.port()).isEqualTo(port);
            assertThat(stays.createConsumer(stays.createQueue("orders")).receiveBody(String.class, WAIT_MS))
                    .isEqualTo("one");
        }
    }

    // ---- the last shard

    @Test
    void aClientStaysWhenTheLastShardOfItsNodeGoes() throws Exception {
        TestBroker a = cluster.start("a", "0");
        TestBroker b = cluster.start("b", "0");
        TestBroker c = cluster.start("c", "1");
        a.awaitOwned(0);
        c.awaitOwned(1);
        try (JMSContext context = c.jms().createContext()) {
            context.createProducer().send(context.createQueue("of.c"), "first");
        }
        await().until(() -> a.shard().lookup().find("of.c") != null);
        a.awaitOwner(1);
        int port = a.port();
        List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
        try (Connection stays = a.jms().createConnection()) {
            stays.setExceptionListener(failures::add);
            stays.start();
            Session session = stays.createSession();
            Queue queue = session.createQueue("of.c");
            MessageProducer producer = session.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("first");

            cluster.awaitSeen();
            Administrator.of(c, "").ask(202, "POST", "/shards/0/move", "{'node': '" + b.id() + "'}");
            b.awaitOwned(0);
            assertThat(a.owned()).isEmpty();
            assertThat(a.port()).isEqualTo(port);
            for (int i = 0; i < 10; i++) {
                producer.send(session.createTextMessage("message " + i));
                assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("message " + i);
            }
            assertThat(failures).isEmpty();

            cluster.stop("b");
            a.awaitOwned(0);
            producer.send(session.createTextMessage("last"));
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("last");
            assertThat(failures).isEmpty();
        }
        assertThat(a.status().state().phase()).isEqualTo(Phase.ACTIVE);
    }

    // ---- failures

    /** A node that hears nothing of users and rules any more must not go on for longer than a lease. */
    @Test
    void aNodeWithoutAShardStandsByWhileItsDatabaseIsAway() throws Exception {
        TestBroker owner = cluster.start("owner", "0");
        owner.awaitOwned(0);
        DatabaseDoor door = cluster.door("front");
        TestBroker front = cluster.start("front", "0");
        front.awaitOwner(0);
        try (Connection connection = front.jms().createConnection()) {
            connection.start();
            List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
            connection.setExceptionListener(failures::add);
            door.shut();
            await().until(() -> front.status().state().phase() == Phase.STANDBY && front.port() < 0);
            await().until(() -> !failures.isEmpty());
        }
        door.open();
        await().until(() -> front.status().state().phase() == Phase.ACTIVE);
        front.awaitOwner(0);
        try (JMSContext context = front.jms().createContext()) {
            context.createProducer().send(context.createQueue("orders"), "again");
        }
    }
}
