package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.RingStoreContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.SQLException;

/** The contract on a real server: the one that the environment names, else SQL Server 2022 in a container. */
class SqlserverRingStoreContractTest extends RingStoreContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return new SqlserverTestDatabase(SqlserverServer.shared("2022-latest", true));
    }
}
