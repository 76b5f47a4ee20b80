package io.ringtable.acceptance.settling;

import io.ringtable.client.AlreadyAcknowledgedException;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.client.jdbc.TransactionalAcknowledger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;

/**
 * An application as a process of its own: for each message one transaction that acknowledges it and writes its effect.
 * Some transactions roll back, some processes die between commit and return, and the test kills others wherever they
 * are.
 */
final class Worker {
    static final String QUEUE = "work";
    private static final int CONCURRENCY = 2;
    private static final int ONE_IN_ROLLS_BACK = 20;
    private static final int ONE_IN_DIES = 150;

    private final String jdbcUrl;
    private final String user;
    private final String password;
    private final Random random = new Random(); // what it does at random is judged by what it leaves
    private final ThreadLocal<Connection> connections = new ThreadLocal<>();

    private Worker(String jdbcUrl, String user, String password) {
        this.jdbcUrl = jdbcUrl;
        this.user = user;
        this.password = password;
    }

    /** @param args broker URL, JDBC URL, user, password */
    public static void main(String[] args) {
        Worker worker = new Worker(args[1], args[2], args[3]);
        RingtableClient client = RingtableClient.builder()
                .uri(args[0])
                .waitForBroker(Duration.ofMinutes(1))
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(50)).longestDelay(Duration.ofMillis(500)))
                .connect();
        client.subscribe(
                SubscriptionOptions.queue(QUEUE).concurrency(CONCURRENCY).prefetch(50), worker::handle);
    }

    private void handle(ReceivedMessage message) throws SQLException {
        Connection connection = connection();
        try {
            TransactionalAcknowledger.acknowledge(connection, message);
            write(connection, "INSERT INTO effect (name) VALUES (?)", message.text());
            if (random.nextInt(ONE_IN_ROLLS_BACK) == 0) {
                throw new IllegalStateException("this one rolls back");
            }
            connection.commit();
        } catch (AlreadyAcknowledgedException done) {
            connection.rollback();
            write(connection, "INSERT INTO refusal (name) VALUES (?)", message.text());
            connection.commit();
            throw done;
        } catch (RuntimeException | SQLException failed) {
            connection.rollback();
            throw failed;
        }
        if (random.nextInt(ONE_IN_DIES) == 0) {
            Runtime.getRuntime().halt(1);
        }
    }

    private Connection connection() throws SQLException {
        Connection connection = connections.get();
        if (connection == null) {
            connection = DriverManager.getConnection(jdbcUrl, user, password);
            connection.setAutoCommit(false);
            connections.set(connection);
        }
        return connection;
    }

    private static void write(Connection connection, String sql, String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, name);
            insert.executeUpdate();
        }
    }
}
