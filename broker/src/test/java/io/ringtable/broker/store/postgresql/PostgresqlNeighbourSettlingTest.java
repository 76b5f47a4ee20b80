package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.NeighbourSettlingContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.SQLException;

/** Settling beside another shard, on PostgreSQL. */
class PostgresqlNeighbourSettlingTest extends NeighbourSettlingContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return PostgresqlTestDatabase.migrated();
    }
}
