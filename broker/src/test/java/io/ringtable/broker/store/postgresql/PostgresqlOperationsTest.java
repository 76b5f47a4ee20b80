package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.OperationsContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The operators' queries on a real PostgreSQL server, as a role that may read and has {@code pg_monitor}. */
class PostgresqlOperationsTest extends OperationsContract {
    private static final int PG_STAT_IO = 16; // the version that brought it
    private static final int LOG_IN_PG_STAT_IO = 18;

    private PostgresqlTestDatabase database;
    private int version;

    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        database = PostgresqlTestDatabase.migrated();
        version = Integer.parseInt(database.ask("SHOW server_version_num")) / 10_000;
        return database;
    }

    @Override
    protected Connection operator() throws SQLException {
        Connection connection = database.connect();
        execute(connection, "CREATE ROLE " + database.role());
        execute(connection, "GRANT pg_monitor TO " + database.role());
        execute(connection, "GRANT USAGE ON SCHEMA ringtable TO " + database.role());
        execute(connection, "GRANT SELECT ON ALL TABLES IN SCHEMA ringtable TO " + database.role());
        execute(connection, "SET ROLE " + database.role());
        execute(connection, "SET default_transaction_read_only = on");
        return connection;
    }

    @Override
    protected boolean isKnown(String query) {
        return !query.equals("io_by_backend") || version >= PG_STAT_IO;
    }

    @Test
    void aCheckpointIsCountedWithThePagesThatItWrites() throws Exception {
        Map<String, String> before = ask("checkpoints").get(0);
        database.execute("CHECKPOINT");
        await().untilAsserted(() -> {
            Map<String, String> after = ask("checkpoints").get(0);
            assertThat(grown("requested", before, after)).isPositive();
            assertThat(grown("pages", before, after)).isPositive();
            assertThat(grown("bytes", before, after)).isGreaterThan(grown("pages", before, after));
        });
    }

    @Test
    void whoReadsAndWritesIsShownByKindOfProcess() throws Exception {
        assumeTrue(isKnown("io_by_backend"), "PostgreSQL " + version + " has no pg_stat_io");
        reopen();
        await().untilAsserted(() ->
                assertThat(number(ofClients("relation"), "extends")).isPositive());
        if (version >= LOG_IN_PG_STAT_IO) {
            await().untilAsserted(() -> {
                assertThat(number(ofClients("wal"), "syncs")).isPositive();
                assertThat(number(ofClients("wal"), "bytes_per_write")).isPositive();
            });
        }
    }

    @Test
    void aSessionThatWaitsShowsForWhatAndWhichTransactionsAreOpen() throws Exception {
        whileASessionIsBlocked(() -> {
            assertThat(ask("waits"))
                    .anySatisfy(row -> assertThat(row)
                            .containsEntry("waits_for", "Lock")
                            .containsEntry("wait", "transactionid")
                            .containsEntry("sessions", "1"));
            assertThat(ask("waits"))
                    .anySatisfy(row -> assertThat(row)
                            .containsEntry("state", "idle in transaction")
                            .containsEntry("wait", "ClientRead"));
            assertThat(ask("long_transactions")).isNotEmpty();
        });
    }

    @Test
    void aSegmentShowsWhoKeepsItFromBeingEmptied() throws Exception {
        assertThat(ask("segments"))
                .hasSize(8)
                .allSatisfy(row ->
                        assertThat(row).containsEntry("state", "in the ring").containsEntry("held_by", null));
        try (Connection reader = database.connect()) {
            reader.setAutoCommit(false);
            execute(reader, "SELECT count(*) FROM ringtable.slot");
            assertThat(ask("segments"))
                    .allSatisfy(row -> assertThat(row.get("held_by")).contains("since"));
        }
    }

    @Test
    void whatApplicationsPublishWaitsInTheInbox() throws Exception {
        database.execute("SELECT ringtable.publish('orders', 'three')");
        assertThat(ask("inbox_by_address"))
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("address", "orders")
                        .containsEntry("rows", "1")
                        .containsEntry("bytes", "5 bytes"));
    }

    private Map<String, String> ofClients(String object) throws Exception {
        return ask("io_by_backend").stream()
                .filter(row -> row.get("backend_type").equals("client backend")
                        && row.get("object").equals(object)
                        && row.get("context").equals("normal"))
                .findFirst()
                .orElseThrow();
    }
}
