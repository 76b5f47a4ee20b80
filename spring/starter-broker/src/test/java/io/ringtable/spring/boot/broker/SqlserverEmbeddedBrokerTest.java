package io.ringtable.spring.boot.broker;

import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.sqlserver.SqlserverServer;
import io.ringtable.broker.store.sqlserver.SqlserverTestDatabase;

/** On SQL Server: the one that the environment names, else a container. */
class SqlserverEmbeddedBrokerTest extends EmbeddedInDatabaseContract {
    private static final String SCHEMA = "shop"; // the user's default schema is the broker's

    private SqlserverServer server;

    @Override
    TestDatabase newDatabase() throws Exception {
        server = SqlserverServer.shared("2022-latest", true);
        SqlserverTestDatabase database = new SqlserverTestDatabase(server);
        database.createSchema(SCHEMA);
        return database;
    }

    @Override
    String schema() {
        return SCHEMA;
    }

    @Override
    String engine() {
        return server.isBabelfish() ? "Babelfish" : "SQL Server";
    }
}
