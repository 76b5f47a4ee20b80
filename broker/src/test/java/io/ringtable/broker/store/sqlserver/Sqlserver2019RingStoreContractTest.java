package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.RingStoreContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.SQLException;

/** The contract on the oldest version that is supported, in a container. */
class Sqlserver2019RingStoreContractTest extends RingStoreContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        return new SqlserverTestDatabase(SqlserverServer.oldestSupported());
    }
}
