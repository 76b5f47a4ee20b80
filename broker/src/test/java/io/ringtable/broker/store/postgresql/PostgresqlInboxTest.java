package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.InboxContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** The inbox of PostgreSQL, and what an application has to be granted there. */
class PostgresqlInboxTest extends InboxContract {
    private static final String INVALID_PARAMETER_VALUE = "22023";

    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return PostgresqlTestDatabase.migrated();
    }

    @Override
    protected void publish(Connection connection, String address, String text, String properties) throws SQLException {
        try (PreparedStatement call = prepare(connection, address, properties)) {
            call.setString(2, text);
            call.execute();
        }
    }

    @Override
    protected void publishBytes(Connection connection, String address, byte[] body, String properties)
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
    protected String user(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT session_user")) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    protected boolean isRefusal(SQLException failure) {
        return INVALID_PARAMETER_VALUE.equals(failure.getSQLState());
    }

    @Test
    void anApplicationNeedsExecuteOnTheFunctionAndNoMore() throws SQLException {
        String role = "app_" + ProcessHandle.current().pid() + "_" + System.nanoTime();
        String publish = "SELECT ringtable.publish('orders', 'from an application')";
        try (Statement statement = caller().createStatement()) {
            statement.execute("CREATE ROLE " + role);
            statement.execute("GRANT USAGE ON SCHEMA ringtable TO " + role);
            assertThatThrownBy(() -> as(role, publish)).hasMessageContaining("permission denied for function publish");
            caller().rollback(); // the role as well
            statement.execute("CREATE ROLE " + role);
            statement.execute("GRANT USAGE ON SCHEMA ringtable TO " + role);
            statement.execute("GRANT EXECUTE ON FUNCTION ringtable.publish(text, text, jsonb) TO " + role);
            as(role, publish);
            assertThatThrownBy(() -> as(role, "SELECT count(*) FROM ringtable.inbox"))
                    .hasMessageContaining("permission denied for table inbox");
        }
        caller().rollback();
    }

    private void as(String role, String sql) throws SQLException {
        try (Statement statement = caller().createStatement()) {
            statement.execute("SET LOCAL ROLE " + role);
            statement.execute(sql);
            statement.execute("RESET ROLE");
        }
    }
}
