package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.LinkStatus;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One connection that publishes to several shards, of which one flushes nothing and has a full committer: only what
 * goes there waits.
 */
@Timeout(120)
class FullCommitterScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int SHARDS = 3;

    private static final TestSettings SETTINGS = TestSettings.of(
            "ringtable.shards",
            SHARDS,
            "ringtable.commit.inbox-bytes-max",
            "1MB", // a committer takes 128 transfers
            "ringtable.amqp.link-credit",
            200);
    private static final int MANY = 400;

    @TempDir
    private Path directory;

    private TestBroker broker;
    private Connection connection;
    private Session session;
    private Queue stuck; // its shard is 1
    private Queue free;
    private java.sql.Connection locking;

    @BeforeEach
    void start() throws Exception {
        broker = TestBroker.start(directory, SETTINGS);
        connection = broker.jms().createConnection();
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        for (int i = 0; stuck == null || free == null; i++) {
            Queue queue = session.createQueue("work." + i);
            session.createProducer(queue).close();
            Address address = broker.shard().lookup().find("work." + i);
            if (ShardIds.shardOf(address.id()) == 1) {
                stuck = queue;
            } else {
                free = queue;
            }
        }
        lock();
    }

    /** Has the next flush of shard 1 wait. */
    private void lock() throws SQLException {
        locking = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable-shard-1.db"));
        try (Statement statement = locking.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
        }
    }

    private void unlock() throws SQLException {
        locking.close();
    }

    @AfterEach
    void stop() throws Exception {
        unlock();
        connection.close();
        broker.close();
    }

    /** @param named whether the producers name their address when they are made, or with each message */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void publishersToOtherShardsGoOn(boolean named) throws Exception {
        SendOutcomes ofStuck = publish(stuck, named);
        awaitFull();

        SendOutcomes ofFree = publish(free, named);

        Awaitility.await().until(() -> ofFree.accepted.get() == MANY);
        assertThat(ofStuck.accepted).hasValue(0);
        unlock();
        Awaitility.await().until(() -> ofStuck.accepted.get() == MANY);
        assertThat(ofStuck.refused).isEmpty();
        assertThat(ofFree.refused).isEmpty();
        inOrder(stuck);
        inOrder(free);
    }

    @Test
    void transactionsOfOtherShardsAreCommitted() throws Exception {
        publish(stuck, true);
        awaitFull();

        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageProducer producer = transacted.createProducer(free);
        for (int i = 0; i < 3; i++) {
            producer.send(transacted.createTextMessage("of " + i));
            transacted.commit();
        }

        MessageConsumer consumer = transacted.createConsumer(free);
        for (int i = 0; i < 3; i++) {
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo("of " + i);
        }
        transacted.commit();
    }

    @Test
    void operatorsSeeWhichLinksWaitForTheCommitter() throws Exception {
        publish(stuck, true);
        awaitFull();
        session.createProducer(free);

        assertThat(waitsFor(free)).isNotEqualTo(LinkStatus.WaitsFor.COMMITTER);
        Awaitility.await().until(() -> waitsFor(stuck) == LinkStatus.WaitsFor.COMMITTER);
    }

    private LinkStatus.WaitsFor waitsFor(Queue queue) throws Exception {
        String name = queue.getQueueName();
        return broker.connections()
                .links(1, null, null, name)
                .toCompletableFuture()
                .get()
                .items()
                .get(0)
                .waitsFor();
    }

    private void awaitFull() {
        Awaitility.await().until(() -> broker.counters().creditStalls.sum() > 0);
    }

    /** Sends numbers on a session and a thread of its own, since the client waits while it has no credit. */
    private SendOutcomes publish(Queue queue, boolean named) throws JMSException {
        SendOutcomes outcomes = new SendOutcomes();
        Session own = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = own.createProducer(named ? queue : null);
        Thread publisher = new Thread(() -> {
            try {
                for (int i = 0; i < MANY; i++) {
                    Message message = own.createTextMessage(Integer.toString(i));
                    if (named) {
                        producer.send(message, outcomes);
                    } else {
                        producer.send(queue, message, outcomes);
                    }
                }
            } catch (JMSException e) {
                outcomes.refused.add(e); // of a test that has ended
            }
        });
        publisher.setDaemon(true);
        publisher.start();
        return outcomes;
    }

    private void inOrder(Queue queue) throws JMSException {
        MessageConsumer consumer = session.createConsumer(queue);
        for (int i = 0; i < MANY; i++) {
            assertThat(((TextMessage) consumer.receive(WAIT_MS)).getText()).isEqualTo(Integer.toString(i));
        }
    }
}
