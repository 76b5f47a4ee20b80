package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.NeighbourSettlingContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.SQLException;

/** Settling beside another shard, on the same SQL Server as {@link SqlserverSettlingTest}. */
class SqlserverNeighbourSettlingTest extends NeighbourSettlingContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return new SqlserverTestDatabase(SqlserverServer.shared("2022-latest", true));
    }
}
