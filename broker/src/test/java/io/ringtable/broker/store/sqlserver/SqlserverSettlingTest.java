package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.SettlingContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/** Settling on SQL Server, on the server that the environment names, else on SQL Server 2022 in a container. */
class SqlserverSettlingTest extends SettlingContract {
    private static final int SETTLED_ALREADY = 53060; // RT-3060
    private static final int LAST_REFUSAL = 53350;

    private SqlserverServer server;

    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        server = SqlserverServer.shared("2022-latest", true);
        return new SqlserverTestDatabase(server);
    }

    @Override
    protected List<Integer> refusedIsolations() {
        return server.isBabelfish()
                ? List.of() // it has to be told first to take other levels at all
                : List.of(Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE);
    }

    @Override
    protected void takeOverUncommitted(Connection flush, int sequence) throws SQLException {
        try (Statement statement = flush.createStatement()) {
            statement.execute("INSERT INTO ringtable.settlement (shard_id, block, [bit], settled) VALUES (0, 0, 0, 0x"
                    + "00".repeat(sequence / 8) + String.format("%02x", 1 << sequence % 8)
                    + "00".repeat(127 - sequence / 8)
                    + ")");
            statement.execute("DELETE FROM ringtable.inbox_settlement");
        }
    }

    /** A compatible server does not tell who waits; there the contract only sees that it has not returned. */
    @Override
    protected void awaitLockWait(TestDatabase at) throws SQLException {
        if (server.isBabelfish()) {
            return;
        }
        try (Connection connection = at.connect();
                Statement statement = connection.createStatement()) {
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                try (var rows = statement.executeQuery("SELECT COUNT(*) FROM sys.dm_exec_requests"
                        + " WHERE blocking_session_id <> 0 AND database_id = DB_ID()")) {
                    rows.next();
                    return rows.getInt(1) == 1;
                }
            });
        }
    }

    @Override
    protected boolean isSettledAlready(SQLException failure) {
        return failure.getErrorCode() == SETTLED_ALREADY;
    }

    @Override
    protected boolean isRefusal(SQLException failure) {
        return failure.getErrorCode() > SETTLED_ALREADY && failure.getErrorCode() <= LAST_REFUSAL;
    }
}
