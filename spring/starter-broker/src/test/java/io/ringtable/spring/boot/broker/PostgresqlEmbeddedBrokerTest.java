package io.ringtable.spring.boot.broker;

import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;

/** On the PostgreSQL of the broker's own tests. */
class PostgresqlEmbeddedBrokerTest extends EmbeddedInDatabaseContract {
    @Override
    TestDatabase newDatabase() throws Exception {
        return new PostgresqlTestDatabase();
    }

    @Override
    String schema() {
        return "public";
    }

    @Override
    String engine() {
        return "PostgreSQL";
    }
}
