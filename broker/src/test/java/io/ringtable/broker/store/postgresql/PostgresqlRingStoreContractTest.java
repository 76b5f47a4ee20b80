package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.RingStoreContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.SQLException;

/** The contract on a real PostgreSQL server. */
class PostgresqlRingStoreContractTest extends RingStoreContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return PostgresqlTestDatabase.migrated();
    }

    @Override
    protected TestDatabase empty() throws EngineAbsent, SQLException {
        return new PostgresqlTestDatabase();
    }
}
