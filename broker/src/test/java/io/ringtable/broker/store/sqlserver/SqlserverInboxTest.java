package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.InboxCalls;
import io.ringtable.broker.store.InboxContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.SQLException;

/** The inbox of SQL Server, on the server that the environment names, else on SQL Server 2022 in a container. */
class SqlserverInboxTest extends InboxContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return new SqlserverTestDatabase(SqlserverServer.shared("2022-latest", true));
    }

    @Override
    protected InboxCalls calls() {
        return new SqlserverInboxCalls();
    }
}
