package io.ringtable.broker.amqp;

import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.sqlserver.SqlserverServer;
import io.ringtable.broker.store.sqlserver.SqlserverTestDatabase;

/** On the SQL Server that the environment names, else on SQL Server 2022 in a container. */
class SqlserverJmsScenarioTest extends JmsScenarioContract {
    @Override
    TestDatabase database() throws Exception {
        return new SqlserverTestDatabase(SqlserverServer.shared("2022-latest", true));
    }
}
