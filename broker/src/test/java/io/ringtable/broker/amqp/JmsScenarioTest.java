package io.ringtable.broker.amqp;

import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;

/** On the embedded engine. */
class JmsScenarioTest extends JmsScenarioContract {
    @Override
    TestDatabase database() throws Exception {
        return new SqliteTestDatabase();
    }
}
