package io.ringtable.broker.store.sqlserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.OperationsContract;
import io.ringtable.broker.store.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The operators' queries, on the server that the environment names, else on SQL Server 2022 in a container. */
class SqlserverOperationsTest extends OperationsContract {
    private static final Path EVENTS =
            Path.of(System.getProperty("ringtable.root", ".."), "src/main/resources/db/sqlserver/setup/sqlserver-only");
    private static final int COUNTERS = 12; // that the query names

    /** Lists the queries of our own tables. The others read views that compatible servers do not have. */
    private static final Set<String> OF_TABLES = Set.of(
            "backlog_by_address",
            "explain_message",
            "failed_deliveries",
            "inbox_by_address",
            "nodes",
            "oldest_owed_message",
            "owed_by_subscription",
            "ring_overview");

    private SqlserverTestDatabase database;

    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        database = new SqlserverTestDatabase(SqlserverServer.shared("2022-latest", true));
        return database;
    }

    @Override
    protected Connection operator() throws SQLException {
        return database.isCompatibleOnly() ? database.connect() : database.administrator();
    }

    @Override
    protected boolean isKnown(String query) {
        return !database.isCompatibleOnly() || OF_TABLES.contains(query);
    }

    @Test
    void theBrokersSessionsAndTheServerShowWhatTheyWaitedFor() throws Exception {
        assumeHas("waits");
        assertThat(ask("waits"))
                .extracting(row -> row.get("what") + " " + row.get("name"))
                .contains("wait of the broker WRITELOG", "wait of the server WRITELOG");
        try (Connection connection = database.administrator()) {
            assertThat(SqlserverServer.ask(connection, """
                                    SELECT COUNT(*)
                                    FROM (SELECT latch_class FROM sys.dm_os_latch_stats
                                          UNION ALL
                                          SELECT name FROM sys.dm_os_spinlock_stats) AS s
                                    WHERE latch_class IN ('METADATA_SEQUENCE_GENERATOR',
                                                          'ACCESS_METHODS_HOBT_VIRTUAL_ROOT', 'DBTABLE')"""))
                    .as("names that the head of the file explains")
                    .isEqualTo("3");
        }
    }

    @Test
    void dataAndLogShowTheirWrites() throws Exception {
        assumeHas("file_stalls");
        try (Connection connection = database.administrator()) {
            execute(connection, "CHECKPOINT");
        }
        assertThat(ask("file_stalls")).extracting(row -> row.get("kind")).contains("ROWS", "LOG");
        assertThat(ask("file_stalls")).allSatisfy(row -> {
            assertThat(number(row, "writes")).isPositive();
            assertThat(number(row, "bytes_per_write")).isPositive();
        });
        assertThat(ask("checkpoints")).hasSize(COUNTERS).anySatisfy(row -> {
            assertThat(row).containsEntry("counter", "Log Flushes/sec");
            assertThat(number(row, "total")).isPositive();
        });
    }

    @Test
    void theEventSessionCountsFlushesUntilItIsDropped() throws Exception {
        assumeHas("events");
        run("events_start");
        try {
            whatApplicationsPublishWaitsInTheInbox();
            await().untilAsserted(() -> assertThat(ask("events"))
                    .anySatisfy(row -> assertThat(row).containsEntry("event", "log_flush_complete")));
        } finally {
            run("events_stop");
        }
        assertThat(ask("events")).isEmpty();
    }

    @Test
    void whatApplicationsPublishWaitsInTheInbox() throws Exception {
        database.execute("EXECUTE ringtable.publish N'orders', N'three'");
        assertThat(ask("inbox_by_address"))
                .singleElement()
                .satisfies(row ->
                        assertThat(row).containsEntry("address", "orders").containsEntry("messages", "1"));
    }

    private void run(String script) throws SQLException, IOException {
        try (Connection connection = database.administrator()) {
            for (String batch :
                    Files.readString(EVENTS.resolve(script + ".sql")).split("(?m)^GO$")) {
                if (!batch.isBlank()) {
                    execute(connection, batch);
                }
            }
        }
    }
}
