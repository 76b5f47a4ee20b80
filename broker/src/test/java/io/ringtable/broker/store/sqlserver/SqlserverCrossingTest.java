package io.ringtable.broker.store.sqlserver;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.store.CrossingContract;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.InboxCalls;
import io.ringtable.broker.store.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Two databases of one broker, on the same SQL Server as {@link SqlserverInboxTest}. */
class SqlserverCrossingTest extends CrossingContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return new SqlserverTestDatabase(SqlserverServer.shared("2022-latest", true));
    }

    @Override
    protected InboxCalls calls() {
        return new SqlserverInboxCalls();
    }

    @Override
    protected String refusedToSettle(TestDatabase database, String tag) throws SQLException {
        try (Connection caller = database.connect();
                PreparedStatement settle = caller.prepareStatement("EXECUTE ringtable.settle ?")) {
            settle.setString(1, tag);
            return catchThrowableOfType(SQLException.class, settle::execute).getMessage();
        }
    }
}
