package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.store.RingStoreContract;
import io.ringtable.broker.store.TestDatabase;
import java.io.IOException;

/** The contract on SQLite, which is always there. */
class SqliteRingStoreContractTest extends RingStoreContract {
    @Override
    protected TestDatabase database() throws IOException {
        return SqliteTestDatabase.migrated();
    }

    @Override
    protected TestDatabase empty() throws IOException {
        return new SqliteTestDatabase();
    }
}
