package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.RingStoreContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.Assumptions;

/** The contract on the oldest version that is supported, in a container. */
class Sqlserver2019RingStoreContractTest extends RingStoreContract {
    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        Assumptions.assumeTrue(
                System.getenv(SqlserverServer.URL_VARIABLE) == null,
                "the environment names one server, and SqlserverRingStoreContractTest runs on it");
        return new SqlserverTestDatabase(SqlserverServer.shared("2019-latest", false));
    }
}
