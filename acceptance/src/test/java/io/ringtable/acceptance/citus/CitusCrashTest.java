package io.ringtable.acceptance.citus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.client.AcknowledgeMode;
import io.ringtable.client.Publisher;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.client.jdbc.TransactionalAcknowledger;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Publishes by SQL on three servers with Citus. The rows of a transaction lie on another node than the caller's, and
 * its message has its home on a third one. Meanwhile servers and the broker are killed in turn, at random moments. Each
 * row that committed has its message in its queue exactly once, and no message is there without its row (ADR 78).
 * <p>
 * {@code acceptance/citus.sh} kills more often. {@code -Dcitus.seed=…} repeats a run's choices.
 */
class CitusCrashTest {
    private static final int APPLICATIONS = 6; // two at each node
    private static final int KILLS = Integer.getInteger("citus.kills", Event.values().length);
    private static final int KILLS_IN_A_ROUND = 16; // then every message is accounted for
    private static final long SEED = Long.getLong("citus.seed", System.nanoTime());
    private static final int WORK = 60; // commits of all applications from one start to the next kill
    private static final int MOMENT_MS = 300; // and the kill is at most so much later
    private static final int STALL_MS = 100;
    private static final Duration MOST = Duration.ofMinutes(4);
    private static final Duration LOOK = Duration.ofMillis(100); // each is a connection of its own

    /** Says what is killed, in turn, each time at a random moment. */
    private enum Event {
        SERVER,
        /**
         * A server after another one has stood still for a moment. Meanwhile transactions over both stop in whatever
         * phase they have reached: a statement, the preparation, or the commit of what was prepared.
         */
        SERVER_IN_A_PHASE,
        BROKER,
        SERVER_AND_BROKER
    }

    @RegisterExtension
    final Bench bench = new Bench();

    private final Random random = new Random(SEED);
    private CitusNodes nodes;
    private BrokerProcess broker;
    private int callers;
    private int messages;
    private int killsInDoubt; // kills that left transactions which only recovery could decide
    private int inDoubt; // transactions that they left

    @Test
    void everyCommittedRowHasItsMessageOnceWhateverIsKilled() throws Exception {
        nodes = CitusNodes.start(bench);
        broker = bench.broker(nodes::placed).start();
        nodes.keepOrDropWitness();
        List<String> queues = nodes.queuesByHome(broker);
        for (int done = 0; done < KILLS; done += KILLS_IN_A_ROUND) {
            publishUnderKills(queues, Math.min(KILLS - done, KILLS_IN_A_ROUND));
            account();
        }
        System.out.printf(
                "citus.seed %d: %d kills, of which %d left %d transactions prepared; %d messages of %d callers, each"
                        + " with its row; orphans 0, losses 0%n",
                SEED, KILLS, killsInDoubt, inDoubt, messages, callers);
        assertThatATagIsSettledWhereItsShardLies(queues);
    }

    private void publishUnderKills(List<String> queues, int kills) throws Exception {
        List<CitusApplication> applications = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < APPLICATIONS; i++) {
            String name = "caller" + callers++;
            CitusApplication application =
                    new CitusApplication(name, i % CitusNodes.NODES, nodes, queues, new Random(random.nextLong()));
            applications.add(application);
            threads.add(new Thread(application, name));
        }
        threads.forEach(Thread::start);
        try {
            for (int kill = 0; kill < kills; kill++) {
                awaitWork(applications);
                Pace.pass(Duration.ofMillis(random.nextInt(MOMENT_MS)));
                killAndRestart(Event.values()[kill % Event.values().length]);
            }
            awaitWork(applications);
        } finally {
            applications.forEach(CitusApplication::stop);
            for (Thread thread : threads) {
                thread.join(MOST.toMillis());
            }
        }
    }

    private static void awaitWork(List<CitusApplication> applications) {
        List<Integer> before =
                applications.stream().map(CitusApplication::committed).toList();
        await("commits at every node").atMost(MOST).pollInterval(LOOK).until(() -> {
            int more = 0;
            for (int i = 0; i < before.size(); i++) {
                int its = applications.get(i).committed() - before.get(i);
                if (its == 0) {
                    return false; // its node has not begun again, or rows are locked until Citus has decided on them
                }
                more += its;
            }
            return more >= WORK;
        });
    }

    private void killAndRestart(Event event) throws Exception {
        if (event == Event.BROKER) {
            broker.kill();
            broker.launch();
            return;
        }
        CitusServer victim = nodes.server(random.nextInt(CitusNodes.NODES));
        CitusServer stalled = null;
        if (event == Event.SERVER_IN_A_PHASE) {
            stalled =
                    nodes.server((nodes.indexOf(victim) + 1 + random.nextInt(CitusNodes.NODES - 1)) % CitusNodes.NODES);
            stalled.pause();
            Pace.pass(Duration.ofMillis(random.nextInt(STALL_MS)));
        }
        victim.kill();
        if (event == Event.SERVER_AND_BROKER) {
            broker.kill();
        }
        if (stalled != null) {
            stalled.resume();
        }
        int prepared = 0;
        for (int node = 0; node < CitusNodes.NODES; node++) {
            if (nodes.server(node) != victim) {
                prepared += nodes.database(node).count("pg_prepared_xacts");
            }
        }
        inDoubt += prepared;
        killsInDoubt += prepared > 0 ? 1 : 0;
        victim.start();
        if (event == Event.SERVER_AND_BROKER) {
            broker.launch();
        }
    }

    /** Consumes every queue, and compares it with the rows. */
    private void account() throws Exception {
        await("the decision on every prepared transaction")
                .atMost(MOST)
                .pollInterval(LOOK)
                .until(() -> nodes.count("pg_prepared_xacts") == 0);
        if (!broker.isAlive()) {
            broker.launch();
        }
        broker.awaitReady();
        await("empty inboxes").atMost(MOST).pollInterval(LOOK).until(() -> nodes.count("ringtable.inbox") == 0);
        Map<String, List<String>> rows = new TreeMap<>();
        for (String row : nodes.database(0).ask("SELECT address || ' ' || name FROM booking")) {
            String[] columns = row.split(" ");
            rows.computeIfAbsent(columns[0], none -> new ArrayList<>()).add(columns[1]);
        }
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            connection.start();
            Session session = connection.createSession();
            for (Map.Entry<String, List<String>> queue : rows.entrySet()) {
                List<String> stored =
                        consume(session, queue.getKey(), queue.getValue().size());
                assertThat(stored)
                        .as("citus.seed=%d: %s", SEED, queue.getKey())
                        .containsExactlyInAnyOrderElementsOf(queue.getValue());
                messages += stored.size();
            }
        }
        await("that nothing is owed").atMost(MOST).pollInterval(LOOK).until(broker::owesNothing);
        nodes.database(0).execute("DELETE FROM booking");
    }

    private static List<String> consume(Session session, String queue, int count) throws JMSException {
        List<String> texts = new ArrayList<>();
        try (MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
            while (texts.size() < count) {
                Message message = consumer.receive(MOST.toMillis() / 8);
                if (message == null) {
                    break; // losses
                }
                texts.add(message.getBody(String.class));
            }
            for (Message more; (more = consumer.receiveNoWait()) != null; ) {
                texts.add(more.getBody(String.class)); // orphans, or messages that came twice
            }
        }
        return texts;
    }

    /** A settlement and a row of another node are one transaction too, at the node that has the shard. */
    private void assertThatATagIsSettledWhereItsShardLies(List<String> queues) throws SQLException {
        int home = 2;
        String queue = queues.get(home);
        try (RingtableClient client = RingtableClient.connect(broker.amqpUrl());
                Publisher publisher = client.publisher("queue://" + queue);
                Receiver receiver =
                        client.receiver(SubscriptionOptions.queue(queue).acknowledge(AcknowledgeMode.MANUAL))) {
            publisher.publishAndWait(io.ringtable.client.Message.text("to be settled"));
            ReceivedMessage message = receiver.receive(MOST).orElseThrow();
            assertThatThrownBy(() -> settle(nodes.database(1), message, "elsewhere"))
                    .hasStackTraceContaining("RT-4545")
                    .hasStackTraceContaining(nodes.database(home).url().replace("jdbc:postgresql://", ""));
            settle(nodes.database(home), message, "settled");
            await("the settlement").atMost(MOST).pollInterval(LOOK).until(broker::owesNothing);
        }
        assertThat(nodes.database(0).ask("SELECT name FROM booking")).containsExactly("settled");
    }

    private void settle(ServerDatabase database, ReceivedMessage message, String row) throws SQLException {
        try (java.sql.Connection connection = database.connect();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO booking (place, name, address) VALUES (?, ?, '')")) {
            connection.setAutoCommit(false);
            insert.setInt(1, nodes.place(0));
            insert.setString(2, row);
            insert.executeUpdate();
            TransactionalAcknowledger.acknowledge(connection, message);
            connection.commit();
        }
    }
}
