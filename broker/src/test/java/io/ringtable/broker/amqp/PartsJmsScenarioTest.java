package io.ringtable.broker.amqp;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;

/** On one node where each address has parts in three shards: clients notice nothing. */
class PartsJmsScenarioTest extends JmsScenarioContract {
    @Override
    TestDatabase database() throws Exception {
        return new SqliteTestDatabase();
    }

    @Override
    TestSettings settings() {
        return TestSettings.of(
                "ringtable.shards", 3,
                "ringtable.dispatch.addresses[0].match", "#",
                "ringtable.dispatch.addresses[0].parts", 3);
    }
}
