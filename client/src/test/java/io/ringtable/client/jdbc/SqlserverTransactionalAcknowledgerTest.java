package io.ringtable.client.jdbc;

import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.sqlserver.SqlserverServer;
import io.ringtable.broker.store.sqlserver.SqlserverTestDatabase;
import org.junit.jupiter.api.Assumptions;

/** The same on SQL Server: the one that the environment names, else a container. */
class SqlserverTransactionalAcknowledgerTest extends TransactionalAcknowledgerTest {
    private SqlserverServer server;

    @Override
    TestDatabase database() throws Exception {
        server = SqlserverServer.shared("2022-latest", true);
        return new SqlserverTestDatabase(server);
    }

    @Override
    String inboxTable() {
        return "ringtable.inbox_settlement";
    }

    @Override
    void assumeThatSnapshotsAreTaken() {
        Assumptions.assumeFalse(server.isBabelfish(), "Babelfish takes no REPEATABLE READ unless it is told to");
    }
}
