package io.ringtable.acceptance.citus;

import io.ringtable.acceptance.harness.Pace;
import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.RingtableException;
import io.ringtable.client.jdbc.TransactionalPublisher;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * One caller at one node: transactions whose rows lie on other nodes, each with a message whose home is a third one. A
 * row is in the table exactly if its transaction committed, whatever the caller was told; so the table is the judge.
 * <p>
 * Thread: its own.
 */
final class CitusApplication implements Runnable {
    /** Makes the table of all bookings, before Citus distributes it by place. */
    static final String TABLE = "CREATE TABLE booking (place integer NOT NULL, name varchar(40) NOT NULL,"
            + " address varchar(20) NOT NULL, PRIMARY KEY (place, name))";

    private static final Duration REST = Duration.ofMillis(1);
    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);

    private final String name;
    private final int node;
    private final CitusNodes nodes;
    private final List<String> queues; // by the node of their home
    private final Random random;
    private int booking;
    private volatile int committed; // read by the test
    private volatile boolean stopped; // written by the test

    CitusApplication(String name, int node, CitusNodes nodes, List<String> queues, Random random) {
        this.name = name;
        this.node = node;
        this.nodes = nodes;
        this.queues = queues;
        this.random = random;
    }

    void stop() {
        stopped = true;
    }

    int committed() {
        return committed;
    }

    @Override
    public void run() {
        while (!stopped) {
            try (Connection connection = nodes.database(node).connect()) {
                connection.setAutoCommit(false);
                while (!stopped) {
                    transact(connection);
                    Pace.pass(REST);
                }
            } catch (SQLException | RingtableException killed) {
                Pace.pass(AFTER_FAILURE); // and goes on with another connection
            }
        }
    }

    private void transact(Connection connection) throws SQLException {
        int other = (node + 1 + random.nextInt(2)) % CitusNodes.NODES;
        int third = CitusNodes.NODES - node - other;
        switch (random.nextInt(8)) {
            case 0 -> {
                book(connection, other, third, true);
                connection.rollback();
                return;
            }
            case 1 -> { // both other nodes take part in the commit
                book(connection, other, third, true);
                book(connection, third, other, false);
            }
            case 2 -> {
                Savepoint before = connection.setSavepoint();
                book(connection, other, third, false);
                connection.rollback(before);
                book(connection, other, third, true);
            }
            case 3 -> { // within a savepoint that is kept
                Savepoint before = connection.setSavepoint();
                book(connection, other, third, false);
                connection.releaseSavepoint(before);
            }
            case 4 -> {
                book(connection, other, third, true);
                connection.abort(Runnable::run);
            }
            default -> book(connection, other, third, random.nextBoolean());
        }
        connection.commit();
        committed++; // by this thread alone
    }

    private void book(Connection connection, int place, int home, boolean rowFirst) throws SQLException {
        String row = name + "-" + booking++;
        String queue = queues.get(home);
        if (rowFirst) {
            insert(connection, place, row, queue);
        }
        TransactionalPublisher.publish(
                connection, Address.queue(queue), Message.builder().text(row).build());
        if (!rowFirst) {
            insert(connection, place, row, queue);
        }
    }

    private void insert(Connection connection, int place, String row, String queue) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO booking (place, name, address) VALUES (?, ?, ?)")) {
            insert.setInt(1, nodes.place(place));
            insert.setString(2, row);
            insert.setString(3, queue);
            insert.executeUpdate();
        }
    }
}
