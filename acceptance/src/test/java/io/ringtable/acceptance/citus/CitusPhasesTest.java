package io.ringtable.acceptance.citus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.client.AcknowledgeMode;
import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.client.jdbc.TransactionalPublisher;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Kills servers of Citus in each phase of a commit: the caller's, another one that has its row, or both. The phase is
 * certain, since commits of a server wait for a stand-by that there is not. After recovery the row is there exactly if
 * the message is, or the settlement (ADR 78).
 * <p>
 * {@code acceptance/citus.sh} does it several times. With {@code -Dcitus.witness=false} Citus is not asked for two
 * phases, and the test fails at its first kill.
 */
class CitusPhasesTest {
    private static final int ROUNDS = Integer.getInteger("citus.rounds", 1);
    private static final Duration MOST = Duration.ofMinutes(4);
    private static final Duration LOOK = Duration.ofMillis(50); // each is a connection of its own

    /** Says how far the commit is when a server dies. */
    private enum Phase {
        /** The other server has prepared, and has not answered. */
        PREPARED,
        /** The caller's server has committed, with the record of its decision; the other one does not know. */
        DECIDED,
        /** The other server has committed too, and has not answered. */
        COMMITTED
    }

    /** Says which server dies. */
    private enum Victim {
        CALLERS,
        OTHER,
        BOTH
    }

    @RegisterExtension
    final Bench bench = new Bench();

    private final List<List<String>> tags = new ArrayList<>(); // of deliveries that nobody has settled, by node
    private CitusNodes nodes;
    private List<String> queues;
    private int kills;

    @Test
    void aRowIsThereIfItsMessageIsInWhateverPhaseAServerDies() throws Exception {
        nodes = CitusNodes.start(bench);
        BrokerProcess broker = bench.broker(nodes::placed).start();
        nodes.keepOrDropWitness();
        queues = nodes.queuesByHome(broker);
        for (String queue : queues) {
            tags.add(deliveriesOf(broker, queue));
        }
        broker.stop(); // its commits are not to wait
        for (int node = 0; node < CitusNodes.NODES; node++) {
            nodes.server(node).awaitAStandBy();
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (Phase phase : Phase.values()) {
                for (Victim victim : Victim.values()) {
                    killIn(phase, victim);
                }
            }
        }
        System.out.printf("%d kills, %d in each phase; orphans 0, losses 0%n", kills, kills / Phase.values().length);
    }

    private static List<String> deliveriesOf(BrokerProcess broker, String queue) {
        List<String> deliveries = new ArrayList<>();
        try (RingtableClient client = RingtableClient.connect(broker.amqpUrl());
                Publisher publisher = client.publisher("queue://" + queue);
                Receiver receiver =
                        client.receiver(SubscriptionOptions.queue(queue).acknowledge(AcknowledgeMode.MANUAL))) {
            int each = ROUNDS * Phase.values().length * Victim.values().length / CitusNodes.NODES;
            for (int i = 0; i < each; i++) {
                publisher.publishAndWait(Message.text("to be settled"));
                deliveries.add(receiver.receive(MOST).orElseThrow().deliveryTag());
            }
        }
        return deliveries;
    }

    private void killIn(Phase phase, Victim victim) throws Exception {
        int caller = kills % CitusNodes.NODES;
        CitusServer callers = nodes.server(caller);
        CitusServer other = nodes.server((caller + 1) % CitusNodes.NODES);
        String row = "row-" + kills;
        boolean settles = kills % 2 == 1;
        kills++;
        int before = nodes.database(caller).count("ringtable.inbox");
        CompletableFuture<Void> commit;
        try (Connection connection = nodes.database(caller).connect()) {
            connection.setAutoCommit(false);
            insert(connection, (caller + 1) % CitusNodes.NODES, row);
            if (settles) {
                settle(connection, tags.get(caller).remove(0));
            } else {
                TransactionalPublisher.publish(connection, Address.queue(queues.get(caller)), Message.text(row));
            }
            commit = commitUntil(phase, callers, other, connection);
            if (victim != Victim.OTHER) {
                callers.kill();
            }
            if (victim != Victim.CALLERS) {
                other.kill();
            }
            if (victim != Victim.OTHER) {
                callers.start();
            }
            if (victim != Victim.CALLERS) {
                other.start();
            }
            for (CitusServer server : List.of(callers, other)) {
                server.holdCommits(false);
                server.letCommitsGo();
            }
            commit.handle((done, killed) -> null).join(); // the tables are the judge, not what the caller was told
        }
        await("the decision on every prepared transaction")
                .atMost(MOST)
                .pollInterval(LOOK)
                .until(() -> nodes.count("booking") >= 0 && nodes.count("pg_prepared_xacts") == 0);
        int rows = nodes.database(caller)
                .ask("SELECT name FROM booking WHERE name = '" + row + "'")
                .size();
        int laidDown = nodes.database(caller).count("ringtable.inbox") - before;
        assertThat(List.of(rows, laidDown))
                .as("the row and its %s, %s server killed once %s", settles ? "settlement" : "message", victim, phase)
                .containsOnly(phase == Phase.PREPARED ? 0 : 1);
    }

    /** Begins the commit, which stands still in the phase. */
    private static CompletableFuture<Void> commitUntil(
            Phase phase, CitusServer callers, CitusServer other, Connection connection) throws SQLException {
        CitusServer first = phase == Phase.PREPARED ? other : callers;
        first.holdCommits(true);
        CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> {
            try {
                connection.commit();
            } catch (SQLException killed) {
                throw new IllegalStateException(killed);
            }
        });
        await("a commit that waits").atMost(MOST).pollInterval(LOOK).until(first::holdsACommit);
        if (phase == Phase.COMMITTED) {
            other.holdCommits(true);
            callers.letCommitsGo();
            await("the second phase").atMost(MOST).pollInterval(LOOK).until(other::holdsACommit);
        }
        return commit;
    }

    private void insert(Connection connection, int node, String row) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO booking (place, name, address) VALUES (?, ?, '')")) {
            insert.setInt(1, nodes.place(node));
            insert.setString(2, row);
            insert.executeUpdate();
        }
    }

    private static void settle(Connection connection, String tag) throws SQLException {
        try (PreparedStatement settle = connection.prepareStatement("SELECT ringtable.settle(?)")) {
            settle.setString(1, tag);
            settle.execute();
        }
    }
}
