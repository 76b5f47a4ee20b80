package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.store.RingStoreContract;
import io.ringtable.broker.store.TestDatabase;
import java.io.IOException;

/** The contract on SQLite for a shard other than the first: nothing in it goes by the number 0. */
class SqliteShardContractTest extends RingStoreContract {
    private static final int SHARD = 5;

    @Override
    protected TestDatabase database() throws IOException {
        return SqliteTestDatabase.migrated(SHARD);
    }

    @Override
    protected TestDatabase empty() throws IOException {
        return new SqliteTestDatabase(SHARD);
    }
}
