package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.InboxCalls;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Publishes with two procedures, one for text and one for bytes. */
final class SqlserverInboxCalls implements InboxCalls {
    private static final int FIRST_REFUSAL = 53050; // RT-3050 and on
    private static final int LAST_REFUSAL = 53053;

    @Override
    public void publish(Connection connection, String address, String text, String properties) throws SQLException {
        try (CallableStatement call = prepare(connection, "publish", address, properties)) {
            call.setString(2, text);
            call.execute();
        }
    }

    @Override
    public void publishBytes(Connection connection, String address, byte[] body, String properties)
            throws SQLException {
        try (CallableStatement call = prepare(connection, "publish_bytes", address, properties)) {
            call.setBytes(2, body);
            call.execute();
        }
    }

    private static CallableStatement prepare(Connection connection, String procedure, String address, String properties)
            throws SQLException {
        CallableStatement call = connection.prepareCall(
                "{call ringtable." + procedure + (properties == null ? "(?, ?)}" : "(?, ?, ?)}"));
        call.setString(1, address);
        if (properties != null) {
            call.setString(3, properties);
        }
        return call;
    }

    @Override
    public String user(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT ORIGINAL_LOGIN()")) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public boolean isRefusal(SQLException failure) {
        return failure.getErrorCode() >= FIRST_REFUSAL && failure.getErrorCode() <= LAST_REFUSAL;
    }
}
