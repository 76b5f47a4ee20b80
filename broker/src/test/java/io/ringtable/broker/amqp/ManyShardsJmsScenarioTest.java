package io.ringtable.broker.amqp;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;

/** On one node with six shards, each in a file of its own: clients notice nothing. */
class ManyShardsJmsScenarioTest extends JmsScenarioContract {
    @Override
    TestDatabase database() throws Exception {
        return new SqliteTestDatabase();
    }

    @Override
    TestSettings settings() {
        return TestSettings.of("ringtable.shards", 6);
    }
}
