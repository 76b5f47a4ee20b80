package io.ringtable.acceptance.inbox;

import io.ringtable.acceptance.harness.Pace;
import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.RingtableException;
import io.ringtable.client.jdbc.TransactionalPublisher;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * One caller: transactions of one to three bookings, each with its message, that commit, roll back or die. A booking is
 * in the table exactly if its transaction committed, whatever the caller was told; so the table is the judge.
 * <p>
 * Thread: its own.
 */
final class Application implements Runnable {
    /** Makes the table of all bookings, on any server. */
    static final String TABLE =
            "CREATE TABLE booking (name varchar(20) NOT NULL PRIMARY KEY, address varchar(20) NOT NULL)";

    private static final Duration REST = Duration.ofMillis(8);

    private final int number;
    private final Callable<Connection> database;
    private final Function<Random, Address> addresses;
    private final Random random;
    private final List<String> underWay = new ArrayList<>(); // bookings of the open transaction
    private final Set<String> unanswered =
            new HashSet<>(); // bookings of transactions that were cut: they may commit later
    private int booking;
    private int committed;
    private int rolledBack;
    private int cut;
    private volatile boolean stopped; // written by the test
    private volatile Connection open; // cut by the test

    /** @param addresses gives each booking the address of its message, by chance or not */
    Application(int number, Callable<Connection> database, Function<Random, Address> addresses) {
        this.number = number;
        this.database = database;
        this.addresses = addresses;
        this.random = new Random(4711 + number);
    }

    void stop() {
        stopped = true;
    }

    /**
     * After it has ended: bookings whose transactions it let go of, so that a later one may have committed before them.
     */
    Set<String> unanswered() {
        return unanswered;
    }

    /** The application crashes where it stands: before, in or after its commit. */
    void crash() {
        Connection victim = open;
        if (victim != null) {
            try {
                victim.abort(Runnable::run);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void run() {
        while (!stopped) {
            try (Connection connection = database.call()) {
                connection.setAutoCommit(false);
                open = connection;
                while (!stopped) {
                    transact(connection);
                    Pace.pass(REST);
                }
            } catch (SQLException | RingtableException crashed) {
                unanswered.addAll(underWay);
                cut++; // and goes on with another connection
            } catch (Exception e) {
                throw new IllegalStateException(e);
            } finally {
                open = null;
            }
        }
    }

    private void transact(Connection connection) throws SQLException {
        underWay.clear();
        for (int bookings = 1 + random.nextInt(3); bookings > 0; bookings--) {
            book(connection, number + "-" + booking++);
        }
        switch (random.nextInt(10)) {
            case 0, 1 -> {
                connection.rollback();
                rolledBack++;
            }
            case 2 -> connection.abort(Runnable::run);
            default -> {
                connection.commit();
                committed++;
            }
        }
    }

    private void book(Connection connection, String name) throws SQLException {
        underWay.add(name);
        Address address = addresses.apply(random);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO booking (name, address) VALUES (?, ?)")) {
            insert.setString(1, name);
            insert.setString(2, address.name());
            insert.executeUpdate();
        }
        TransactionalPublisher.publish(
                connection,
                address,
                Message.builder().text(name).property("caller", number).build());
    }

    @Override
    public String toString() {
        return "application " + number + ": " + booking + " bookings, " + committed + " commits, " + rolledBack
                + " roll-backs, " + cut + " connections lost";
    }
}
