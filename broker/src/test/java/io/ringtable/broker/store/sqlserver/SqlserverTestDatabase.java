package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.opentest4j.TestAbortedException;

/** A database of its own on a SQL Server, or on one that is compatible with it. */
public final class SqlserverTestDatabase implements TestDatabase {
    private final SqlserverServer server;
    private final String url;

    public SqlserverTestDatabase(SqlserverServer server) throws SQLException {
        this.server = server;
        this.url = server.newDatabase();
    }

    @Override
    public StoreSettings settings() {
        return new StoreSettings(
                url,
                server.username(),
                server.password(),
                Path.of(System.getProperty("java.io.tmpdir")),
                4,
                Duration.ofSeconds(15),
                Duration.ofSeconds(30));
    }

    String url() {
        return url;
    }

    @Override
    public Connection connect() throws SQLException {
        Connection connection = server.connect(url);
        // for who looks before the store has made it
        SqlserverServer.execute(connection, "IF SCHEMA_ID('ringtable') IS NULL EXECUTE ('CREATE SCHEMA ringtable')");
        return connection;
    }

    @Override
    public void refuseRowsOf(long addressId) throws SQLException {
        try (Connection connection = connect()) {
            String highest = SqlserverServer.ask(connection, "SELECT MAX(sequence) FROM ringtable.slot");
            SqlserverServer.execute(
                    connection,
                    "ALTER TABLE ringtable.slot ADD CONSTRAINT slot_is_refused_by_the_test CHECK (address_id <> "
                            + addressId + " OR sequence <= " + highest + ")");
        }
    }

    @Override
    public void loseChunk(long bodyId) throws SQLException {
        execute("DELETE FROM ringtable.overflow WHERE chunk = 0 AND body_id = " + bodyId);
    }

    @Override
    public void damageRing(long sequence) throws SQLException {
        execute("UPDATE ringtable.slot SET sequence = sequence + 1 WHERE sequence = " + sequence);
    }

    @Override
    public void cutConnections() throws SQLException {
        try (Connection connection = server.administrator(url);
                Statement statement = connection.createStatement()) {
            StringBuilder kills = new StringBuilder();
            try (ResultSet sessions = statement.executeQuery("SELECT session_id FROM sys.dm_exec_sessions"
                    + " WHERE program_name = 'ringtable' AND database_id = DB_ID()")) {
                while (sessions.next()) {
                    kills.append("BEGIN TRY EXECUTE ('KILL ")
                            .append(sessions.getInt(1))
                            .append("') END TRY BEGIN CATCH END CATCH; ");
                }
            }
            if (!kills.isEmpty()) {
                statement.execute(kills.toString());
            }
        }
    }

    /** Asks the server for the plans of what the procedures run, on a ring that has been used; nothing is run. */
    @Override
    public List<QueryPlan> hotPlans() throws SQLException {
        if (server.isBabelfish()) {
            throw new TestAbortedException("Babelfish shows no plans of procedures");
        }
        String lists = "DECLARE @c ringtable.claim_list; DECLARE @s ringtable.settlement_list;"
                + " DECLARE @b ringtable.backlog_settlement_list; DECLARE @r ringtable.redelivery_list;"
                + " DECLARE @d ringtable.dispatched_list; DECLARE @i ringtable.id_list; ";
        String flush = plan(lists + "EXECUTE ringtable.flush 0, 1, 1024, -1, 0, @c, @s, @b, @r, @d");
        String reclaim = plan("EXECUTE ringtable.reclaim 0, 1, 1024, 2048, 1024");
        String discard = plan("EXECUTE ringtable.discard 0, 1, 0, 0, 1024");
        String readRing = plan(lists + "EXECUTE ringtable.read_ring 0, @i");
        String readBacklog = plan("EXECUTE ringtable.read_backlog 0, 0, 0, 0, -1, 10");
        return List.of(
                new QueryPlan("flush", flush, "[slot_pk]", scanOf("slot", "slot_pk")),
                new QueryPlan("reclaim", reclaim, "[slot_pk]", scanOf("slot", "slot_pk")),
                new QueryPlan("reclaim", reclaim, "[settlement_pk]", scanOf("settlement", "settlement_pk")),
                new QueryPlan("discard", discard, "[backlog_pk]", scanOf("backlog", "backlog_pk")),
                new QueryPlan("read_ring", readRing, "[slot_pk]", scanOf("slot", "slot_pk")),
                new QueryPlan("read_backlog", readBacklog, "[backlog_pk]", scanOf("backlog", "backlog_pk")));
    }

    private String scanOf(String table, String key) {
        return "Scan(OBJECT:([" + url.replaceFirst(".*;databaseName=([^;]*).*", "$1") + "].[ringtable].[" + table
                + "].[" + key + "]";
    }

    private String plan(String batch) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET SHOWPLAN_TEXT ON");
            boolean rows = statement.execute(batch);
            while (rows || statement.getUpdateCount() != -1) {
                if (rows) {
                    try (ResultSet lines = statement.getResultSet()) {
                        while (lines.next()) {
                            plan.append(lines.getString(1)).append('\n');
                        }
                    }
                }
                rows = statement.getMoreResults();
            }
            statement.execute("SET SHOWPLAN_TEXT OFF");
        }
        return plan.toString();
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect()) {
            SqlserverServer.execute(connection, sql);
        }
    }

    @Override
    public void close() throws SQLException {
        server.drop(url);
    }
}
