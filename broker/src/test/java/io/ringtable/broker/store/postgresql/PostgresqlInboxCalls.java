package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.InboxCalls;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Publishes with one function, which knows text and bytes by the type of its second parameter. */
public final class PostgresqlInboxCalls implements InboxCalls {
    private static final String INVALID_PARAMETER_VALUE = "22023";

    @Override
    public void publish(Connection connection, String address, String text, String properties) throws SQLException {
        try (PreparedStatement call = prepare(connection, address, properties)) {
            call.setString(2, text);
            call.execute();
        }
    }

    @Override
    public void publishBytes(Connection connection, String address, byte[] body, String properties)
            throws SQLException {
        try (PreparedStatement call = prepare(connection, address, properties)) {
            call.setBytes(2, body);
            call.execute();
        }
    }

    private static PreparedStatement prepare(Connection connection, String address, String properties)
            throws SQLException {
        PreparedStatement call = connection.prepareStatement(
                properties == null ? "SELECT ringtable.publish(?, ?)" : "SELECT ringtable.publish(?, ?, ?::jsonb)");
        call.setString(1, address);
        if (properties != null) {
            call.setString(3, properties);
        }
        return call;
    }

    @Override
    public String user(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT session_user")) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public boolean isRefusal(SQLException failure) {
        return INVALID_PARAMETER_VALUE.equals(failure.getSQLState());
    }
}
