package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.InboxCalls;
import io.ringtable.broker.store.InboxContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** The inbox of PostgreSQL, and what an application has to be granted there. */
class PostgresqlInboxTest extends InboxContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return PostgresqlTestDatabase.migrated();
    }

    @Override
    protected InboxCalls calls() {
        return new PostgresqlInboxCalls();
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
