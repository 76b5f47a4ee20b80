package io.ringtable.broker.store;

import java.sql.Connection;
import java.sql.SQLException;

/** Publishes as the applications of one engine do, and knows the errors that refuse their parameters. */
public interface InboxCalls {
    /** @param properties a JSON object; null = the caller gives none */
    void publish(Connection connection, String address, String text, String properties) throws SQLException;

    /** @param properties a JSON object; null = the caller gives none */
    void publishBytes(Connection connection, String address, byte[] body, String properties) throws SQLException;

    /** Returns the user of the database that the connection logged in as. */
    String user(Connection connection) throws SQLException;

    /** Answers whether the error says that the caller's parameters are wrong. */
    boolean isRefusal(SQLException failure);
}
