package io.ringtable.broker.store.sqlserver;

import static java.util.Map.entry;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.NodeDirectory;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** A database of its own on a SQL Server, or on one that is compatible with it. */
public final class SqlserverTestDatabase implements TestDatabase {
    private static final String LISTS = "DECLARE @c ringtable.message_list; DECLARE @s ringtable.settlement_list;"
            + " DECLARE @b ringtable.backlog_settlement_list; DECLARE @r ringtable.redelivery_list;"
            + " DECLARE @d ringtable.dispatched_list; DECLARE @p ringtable.producer_list;"
            + " DECLARE @i ringtable.duplicate_id_list; DECLARE @y ringtable.replay_list; ";

    private static final Map<String, String> ARGUMENTS = Map.ofEntries(
            entry("acquire", "0, N'node', N'host', 30000"),
            entry("acquire_elsewhere", "0, N'node-1'"),
            entry("alter_catalog", "0, 1, N'[]'"),
            entry("alter_create_login", "0, 1, 1, 'user', N'ann'"),
            entry("alter_delete_setting", "0, 1, 'user', N'ann'"),
            entry("alter_directory", "N'[]'"),
            entry("alter_disown_client", "0, 1, N'desk'"),
            entry("alter_own_client", "0, 1, N'desk', N'ann'"),
            entry("alter_put_setting", "0, 1, 'user', N'ann', N'{}', N'', 0"),
            entry("count_shards", "0"),
            entry("discard", "0, 1, 0, 0, 1024"),
            entry("flush", "0, 1, 1024, -1, 0, @c, @s, @b, @r, @d"),
            entry("flush_inbox", "0, 1, 1024, -1, 0, @c, @s, @b, @r, @d, N'[]'"),
            entry("flush_once", "0, 1, 1024, -1, 0, @c, @s, @b, @r, @d, N'[]', 0, @p, @i, @y"),
            entry("keep_delivery_key", "0, 0x000000000000000000000000000000000000000000000000"),
            entry("keep_placement", "0, 'token', 1, N'main', N'here'"),
            entry("lay_ring", "0, 1, 8192, 1920"),
            entry("open_crossing", "0, 1, 3"),
            entry("node_beat", "N'node', 'run', N'host', N'1.0', 'ACTIVE', NULL, 30000"),
            entry("node_forget", "N'node', 'run'"),
            entry("pass_on", "0, 1, 3, N'[]'"),
            entry("read_backlog", "0, 0, 0, 0, -1, 10"),
            entry("read_backlog_facts", "0, 0, 0, 0, -1, 10"),
            entry("read_backlog_ledger", "0, 0"),
            entry("read_backlog_owed", "0, 0, 0, 1024"),
            entry("read_body", "0, 7"),
            entry("read_directory", "0"),
            entry("read_inbox", "0, N'[]', 1000, 1000000"),
            entry("read_message", "0, 0"),
            entry("read_orphans", "0"),
            entry("read_passed_on", "0"),
            entry("read_placement", "0"),
            entry("read_ring", "0, N'[]'"),
            entry("read_shards", "0"),
            entry("reclaim", "0, 1, 1024, 2048, 1024"),
            entry("recover_addresses", "0"),
            entry("recover_backlog", "0"),
            entry("recover_client_owners", "0"),
            entry("recover_duplicate_ids", "0"),
            entry("recover_highest", "0"),
            entry("recover_logins", "0"),
            entry("recover_producers", "0"),
            entry("recover_redeliveries", "0"),
            entry("recover_replays", "0"),
            entry("recover_ring", "0, 0, 8192"),
            entry("recover_settings", "0"),
            entry("recover_settlements", "0"),
            entry("recover_shard", "0, 1"),
            entry("recover_subscriptions", "0"),
            entry("remove_taken_over", "0, N'[]'"),
            entry("renew", "0, 1"),
            entry("resign", "0, 1"),
            entry("stage", "0, 1, 7, 0, 1, 0x00"),
            entry("take_over", "0, 1, 3, 1, N'[]'"),
            entry("take_over_row", "0, N'orders', NULL, N'text', NULL, N'{}', 0, 0, NULL"),
            entry("unstage", "0, 1, N'[]'"));

    private final SqlserverServer server;
    private final NodeDirectory directory = new NodeDirectory();
    private final String url;

    public SqlserverTestDatabase(SqlserverServer server) throws SQLException {
        this.server = server;
        this.url = server.newDatabase();
    }

    @Override
    public StoreSettings settings() {
        return TestSettings.of(
                        "ringtable.store.url",
                        url,
                        "ringtable.store.username",
                        server.username(),
                        "ringtable.store.password",
                        server.password(),
                        "ringtable.store.connect-timeout",
                        "15s")
                .store(directory.path());
    }

    String url() {
        return url;
    }

    /** Returns whether the server only speaks T-SQL: it has no plans and no views of itself. */
    boolean isCompatibleOnly() {
        return server.isBabelfish();
    }

    /** Returns what a statement is called with when its plan is asked for; empty if it takes nothing. */
    static List<String> arguments(String statement) {
        String arguments = ARGUMENTS.get(statement);
        return arguments == null ? List.of() : List.of(arguments.split(", "));
    }

    @Override
    public Connection connect() throws SQLException {
        Connection connection = server.connect(url);
        // for who looks before the store has made it
        SqlserverServer.execute(connection, "IF SCHEMA_ID('ringtable') IS NULL EXECUTE ('CREATE SCHEMA ringtable')");
        return connection;
    }

    /** Connects as somebody who may look at the server and record its events. */
    Connection administrator() throws SQLException {
        if (server.isBabelfish()) {
            throw new TestAbortedException("Babelfish has none of the views that tell about the server");
        }
        return server.administrator(url);
    }

    /** Makes a schema for an application's own tables, which belongs to the user of the tests. */
    public void createSchema(String name) throws SQLException {
        try (Connection connection = server.administrator(url)) {
            SqlserverServer.execute(connection, "CREATE SCHEMA " + name + " AUTHORIZATION " + server.username());
        }
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
    public void bringBackEpoch(long epoch) throws SQLException {
        execute("UPDATE ringtable.shard SET epoch = " + epoch);
    }

    @Override
    public void setClockBack() throws SQLException {
        execute("UPDATE ringtable.lease SET renewed_at = DATEADD(HOUR, 1, renewed_at)");
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

    /** Plans are asked of the server for a ring that has been used; nothing is run. */
    @Override
    public List<QueryPlan> hotPlans() throws SQLException {
        List<QueryPlan> plans = new ArrayList<>();
        for (String hot : List.of(
                "flush",
                "flush_inbox",
                "flush_once",
                "read_inbox",
                "read_ring",
                "read_backlog",
                "reclaim",
                "discard")) {
            plans.add(new QueryPlan(hot, plan(hot), "[ringtable].", scan()));
        }
        // The narrow indexes have the sequences too, of the whole address.
        for (String reader : List.of("read_backlog", "read_backlog_facts", "read_backlog_owed", "read_message")) {
            String plan = plan(reader);
            for (String narrow : List.of("backlog_expiring", "backlog_delayed", "backlog_in_overflow")) {
                plans.add(new QueryPlan(
                        reader,
                        plan,
                        "Clustered Index Seek [ringtable].[backlog].[backlog_pk]",
                        "[ringtable].[backlog].[" + narrow + "]"));
            }
        }
        plans.add(new QueryPlan(
                "discard",
                plan("discard"),
                "Clustered Index Seek [ringtable].[backlog].[backlog_pk]",
                "Index Seek [ringtable].[backlog].[backlog_in_overflow]"));
        // what applications call
        String publish = explained("EXECUTE ringtable.publish N'orders', N'text', N'{\"priority\": 9}'");
        plans.add(new QueryPlan("publish", publish, "Clustered Index Insert [ringtable].[inbox].[inbox_pk]", scan()));
        String publishBytes = explained("EXECUTE ringtable.publish_bytes N'orders', 0x00");
        plans.add(new QueryPlan(
                "publish_bytes", publishBytes, "Clustered Index Insert [ringtable].[inbox].[inbox_pk]", scan()));
        String settle = explained("EXECUTE ringtable.settle N'B.C.D.AAAAAAAAAA'");
        for (String access : List.of(
                "Clustered Index Seek [ringtable].[delivery_key].[delivery_key_pk]",
                "[ringtable].[inbox_settlement].[inbox_settlement_settles_once]",
                "Clustered Index Seek [ringtable].[shard].[shard_pk]",
                "Index Seek [ringtable].[subscription].[subscription_pk]",
                "Clustered Index Seek [ringtable].[settlement].[settlement_pk]",
                "Clustered Index Seek [ringtable].[backlog].[backlog_pk]",
                "Clustered Index Seek [ringtable].[backlog_settlement].[backlog_settlement_pk]")) {
            plans.add(new QueryPlan("settle", settle, access, scan()));
        }
        return plans;
    }

    @Override
    public String plan(String statement) throws SQLException {
        String sql = new StatementFiles<>(SqlserverDialect.ENGINE, SqlserverStatement.class)
                .sql(SqlserverStatement.valueOf(statement.toUpperCase(Locale.ROOT)));
        return explained(
                sql.startsWith("EXECUTE")
                        ? LISTS + sql.substring(0, sql.indexOf('@')) + ARGUMENTS.get(statement)
                        : sql.replace("?", "0"));
    }

    /** Explains every statement of the procedure, one line for each table or index that it touches. */
    private String explained(String call) throws SQLException {
        if (server.isBabelfish()) {
            throw new TestAbortedException("Babelfish shows no plans of procedures");
        }
        StringBuilder plan = new StringBuilder();
        try (Connection connection = connect();
                Statement explain = connection.createStatement()) {
            explain.execute("SET SHOWPLAN_XML ON");
            boolean rows = explain.execute(call);
            while (rows || explain.getUpdateCount() != -1) {
                if (rows) {
                    try (ResultSet documents = explain.getResultSet()) {
                        while (documents.next()) {
                            plan.append(Showplan.accesses(documents.getString(1)));
                        }
                    }
                }
                rows = explain.getMoreResults();
            }
            explain.execute("SET SHOWPLAN_XML OFF");
        }
        return plan.toString();
    }

    @Override
    public String scan() {
        return "Scan [ringtable].";
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect()) {
            SqlserverServer.execute(connection, sql);
        }
    }

    @Override
    public void close() throws SQLException {
        directory.close();
        server.drop(url);
    }
}
