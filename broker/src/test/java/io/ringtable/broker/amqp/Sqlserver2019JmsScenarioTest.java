package io.ringtable.broker.amqp;

import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.sqlserver.SqlserverServer;
import io.ringtable.broker.store.sqlserver.SqlserverTestDatabase;

/** On the oldest SQL Server that is supported, in a container. */
class Sqlserver2019JmsScenarioTest extends JmsScenarioContract {
    @Override
    TestDatabase database() throws Exception {
        return new SqlserverTestDatabase(SqlserverServer.oldestSupported());
    }
}
