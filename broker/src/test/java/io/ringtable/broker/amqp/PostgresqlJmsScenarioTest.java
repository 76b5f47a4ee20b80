package io.ringtable.broker.amqp;

import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;

/** On PostgreSQL. */
class PostgresqlJmsScenarioTest extends JmsScenarioContract {
    @Override
    TestDatabase database() throws Exception {
        return PostgresqlTestDatabase.migrated();
    }
}
