package io.ringtable.client.jdbc;

import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.sqlserver.SqlserverServer;
import io.ringtable.broker.store.sqlserver.SqlserverTestDatabase;

/** The same on SQL Server: the one that the environment names, else a container. */
class SqlserverTransactionalPublisherTest extends TransactionalPublisherTest {
    @Override
    TestDatabase database() throws Exception {
        return new SqlserverTestDatabase(SqlserverServer.shared("2022-latest", true));
    }
}
