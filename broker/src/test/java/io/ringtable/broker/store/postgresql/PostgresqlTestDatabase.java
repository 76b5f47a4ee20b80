package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.amqp.consume.Tags;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.NodeDirectory;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A database of its own on a PostgreSQL server. */
public final class PostgresqlTestDatabase implements TestDatabase {
    private final PostgresqlServer server;
    private final NodeDirectory directory = new NodeDirectory();
    private final String url;

    /** Empty, on the shared server. */
    public PostgresqlTestDatabase() throws EngineAbsent, SQLException {
        this(PostgresqlServer.shared());
    }

    /** Empty. */
    public PostgresqlTestDatabase(PostgresqlServer server) throws SQLException {
        this(server, server.newDatabase());
    }

    private PostgresqlTestDatabase(PostgresqlServer server, String url) {
        this.server = server;
        this.url = url;
    }

    /** With the schema and no rows, on the shared server: a copy is there earlier than the migrations are through. */
    public static PostgresqlTestDatabase migrated() throws EngineAbsent, SQLException {
        PostgresqlServer server = PostgresqlServer.shared();
        return new PostgresqlTestDatabase(server, server.newMigratedDatabase());
    }

    @Override
    public StoreSettings settings() {
        return settings(url);
    }

    /** The same database through another door. */
    public StoreSettings settings(String otherUrl) {
        return TestSettings.of(
                        "ringtable.store.url",
                        otherUrl,
                        "ringtable.store.username",
                        server.username(),
                        "ringtable.store.password",
                        server.password(),
                        "ringtable.store.statement-timeout",
                        "10s")
                .store(directory.path());
    }

    String url() {
        return url;
    }

    /** Name of a role that no other test makes: roles are the whole server's. */
    String role() {
        return url.replaceFirst(".*/([^/?]*).*", "role_of_$1");
    }

    @Override
    public Connection connect() throws SQLException {
        Connection connection = server.connect(url);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET client_min_messages = warning");
            statement.execute("CREATE SCHEMA IF NOT EXISTS ringtable"); // for who looks before the store has made it
        }
        connection.setSchema("ringtable");
        return connection;
    }

    @Override
    public void refuseRowsOf(long addressId) throws SQLException {
        execute("ALTER TABLE slot ADD CONSTRAINT slot_is_refused_by_the_test CHECK (address_id <> " + addressId
                + ") NOT VALID");
    }

    @Override
    public void loseChunk(long bodyId) throws SQLException {
        execute("DELETE FROM ringtable.overflow WHERE chunk = 0 AND body_id = " + bodyId);
    }

    @Override
    public void damageRing(long sequence) throws SQLException {
        execute("DELETE FROM ringtable.slot WHERE sequence = " + sequence);
    }

    @Override
    public void bringBackEpoch(long epoch) throws SQLException {
        execute("UPDATE ringtable.shard SET epoch = " + epoch);
    }

    @Override
    public void setClockBack() throws SQLException {
        execute("UPDATE ringtable.lease SET renewed_at = renewed_at + interval '1 hour'");
    }

    @Override
    public void cutConnections() throws SQLException {
        execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND application_name = 'ringtable'");
    }

    /** Asks the server for the plans of what the functions run, on a ring that has been used. */
    @Override
    public List<QueryPlan> hotPlans() throws SQLException {
        String flush =
                "SELECT flush(0, epoch, gate, -1, 0, 0, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',"
                        + " '{}', ARRAY[gate / 1024], '{0}', ARRAY[decode(repeat('00', 128), 'hex')],"
                        + " '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}') FROM shard";
        String reclaim = "SELECT * FROM reclaim(0, (SELECT epoch FROM shard), 1024, 2048, 1024)";
        String discard = "SELECT * FROM discard(0, (SELECT epoch FROM shard), 0, 0, 1024)";
        String readRing = "SELECT * FROM read_ring(0, (SELECT ARRAY[gate, gate + 1] FROM shard))";
        String readBacklog = "SELECT * FROM read_backlog(0, 0, 0, 0, -1, 5000, 10, 1000)";
        String readFromRing = "SELECT * FROM read_message(0, (SELECT gate FROM shard))";
        String readFromBacklog = "SELECT * FROM read_message(0, (SELECT gate - 1 FROM shard))";
        String readInbox = "SELECT * FROM read_inbox(0, '{full}', 10, 1000)";
        String stage = "SELECT stage(0, (SELECT epoch FROM shard), 7, ARRAY['\\x00'::bytea])";
        String unstage = "SELECT unstage(0, (SELECT epoch FROM shard), '{7,8}')";
        String deleteFromInbox = "SELECT delete_from_inbox(0, '{1,2,3}')";
        String passOn = "SELECT pass_on(0, (SELECT epoch FROM shard), 3, '{}')";
        String openCrossing = "open_crossing(0, (SELECT epoch FROM shard), 3)";
        String takeOver = "SELECT take_over(0, (SELECT epoch FROM shard), 3, (SELECT number + 1 FROM " + openCrossing
                + "), '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')";
        String raiseProducers = "SELECT raise_producers(0, '{1}', '{2}', ARRAY[now()])";
        String keepIds = "SELECT keep_duplicate_ids(0, '{0}', '{0}', '{0}', ARRAY['\\x00'::bytea])";
        String advanceReplays = "SELECT advance_replays(0, '{1}', '{2}')";
        String highest = "SELECT recover_highest(0)";
        String settlements = "SELECT * FROM recover_settlements(0, (SELECT gate FROM shard))";
        String orphans = "SELECT * FROM read_orphans(0)";
        String keepKey = "SELECT keep_delivery_key(0, decode(repeat('00', 24), 'hex'))";
        String alterDirectory = "SELECT * FROM alter_directory('{address}', '{q}', '{0}', '{queue}', '{0}', '{\"\"}',"
                + " '{here}', '{0}')";
        String settleInRing = settleAtGatePlus(0);
        String settleInBacklog = settleAtGatePlus(-1);
        return List.of(
                plan("settle", settleInRing, "INSERT INTO ringtable.inbox", "Arbiter Indexes: inbox_settles_once"),
                plan("settle", settleInRing, "FROM ringtable.settlement_", "_pkey"),
                plan("settle", settleInBacklog, "FROM ringtable.backlog AS b", "using backlog_pk on backlog"),
                plan(
                        "keep_delivery_key",
                        keepKey,
                        "INSERT INTO ringtable.delivery_key",
                        "Conflict Arbiter Indexes: delivery_key_pk"),
                plan(
                        "check_owner",
                        "SELECT check_owner(0, epoch) FROM shard",
                        "FOR NO KEY UPDATE",
                        "using shard_pk on shard"),
                plan("alter_directory", alterDirectory, "FROM unnest", "using home_pk on home"),
                plan("alter_directory", alterDirectory, "INSERT INTO ringtable.home", "Arbiter Indexes: home_pk"),
                plan("stage", stage, "INSERT INTO ringtable.overflow", "Insert on overflow"),
                plan("unstage", unstage, "DELETE FROM ringtable.overflow", "overflow_pk"),
                plan("flush", flush, "FOR NO KEY UPDATE", "using shard_pk on shard"),
                plan("flush", flush, "INSERT INTO ringtable.settlement", "Conflict Arbiter Indexes: settlement_pk"),
                plan("reclaim", reclaim, "FROM ringtable.settlement", "_pkey"),
                plan("discard", discard, "DELETE FROM ringtable.backlog AS b", "using backlog_pk on backlog"),
                plan("discard", discard, "DELETE FROM ringtable.backlog_settlement", "backlog_settlement_pk"),
                plan("read_ring", readRing, "FROM ringtable.slot", "_brin"),
                plan("read_backlog", readBacklog, "FROM ringtable.backlog", "using backlog_pk on backlog"),
                plan("read_message", readFromRing, "FROM ringtable.slot", "_brin"),
                plan("read_message", readFromBacklog, "FROM ringtable.backlog_summary", "using backlog_pk on backlog"),
                plan("recover_highest", highest, "FROM ringtable.slot", "_brin"),
                plan("recover_settlements", settlements, "FROM ringtable.settlement", "_pkey"),
                plan("read_orphans", orphans, "FROM ringtable.overflow", "overflow_pk"),
                plan("read_orphans", orphans, "FROM ringtable.overflow", "backlog_in_overflow"),
                plan("read_inbox", readInbox, "FROM ringtable.inbox", "Index Scan using inbox_pk on inbox"),
                plan("flush_inbox", deleteFromInbox, "DELETE FROM ringtable.inbox", "inbox_pk"),
                plan(
                        "read_inbox_shards",
                        "SELECT * FROM read_inbox_shards()",
                        "FROM ringtable.inbox",
                        "using inbox_pk on inbox"),
                plan(
                        "read_passed_on",
                        "SELECT * FROM read_passed_on(0)",
                        "FROM ringtable.inbox",
                        "using inbox_pk on inbox"),
                plan("pass_on", passOn, "UPDATE ringtable.inbox", "inbox_pk"),
                plan(
                        "open_crossing",
                        "SELECT * FROM " + openCrossing,
                        "INSERT INTO ringtable.crossing",
                        "Conflict Arbiter Indexes: crossing_pk"),
                plan("take_over", takeOver, "UPDATE ringtable.crossing", "crossing_pk"),
                plan(
                        "remove_taken_over",
                        "SELECT remove_taken_over(0, '{1,2,3}')",
                        "DELETE FROM ringtable.inbox",
                        "inbox_pk"),
                plan("flush_once", raiseProducers, "UPDATE ringtable.producer", "using producer_"),
                plan("flush_once", advanceReplays, "UPDATE ringtable.replay", "using replay_pk"),
                plan(
                        "flush_once",
                        keepIds,
                        "INSERT INTO ringtable.duplicate_id",
                        "Conflict Arbiter Indexes: duplicate_id_pk"));
    }

    private String settleAtGatePlus(int offset) throws SQLException {
        try (RingStore store = open()) {
            String tag = Tags.of(store)
                    .tag(
                            Long.parseLong(ask("SELECT epoch FROM shard")),
                            Long.parseLong(ask("SELECT min(subscription_id) FROM subscription")),
                            Long.parseLong(ask("SELECT gate FROM shard")) + offset);
            return "SELECT settle('" + tag + "')";
        }
    }

    /** The plan of the statement inside the function that holds the fragment. */
    private QueryPlan plan(String name, String call, String fragment, String key) throws SQLException {
        String plan = explained(call).stream()
                .filter(p -> p.contains(fragment))
                .findFirst()
                .orElseThrow();
        return new QueryPlan(name, plan, key, "Seq Scan on");
    }

    /** Returns the words of auto_explain about every statement inside the functions; their changes are rolled back. */
    private List<String> explained(String call) throws SQLException {
        List<String> plans = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("LOAD 'auto_explain'");
            statement.execute("SET auto_explain.log_min_duration = 0");
            statement.execute("SET auto_explain.log_nested_statements = on");
            statement.execute("SET client_min_messages = log");
            statement.execute("SET jit = off");
            connection.setAutoCommit(false);
            statement.execute(call);
            for (SQLWarning plan = statement.getWarnings(); plan != null; plan = plan.getNextWarning()) {
                plans.add(plan.getMessage());
            }
            connection.rollback();
        }
        return plans;
    }

    /** The generic plan of a statement that is no call of a function, as if its tables were large. */
    @Override
    public String plan(String statement) throws SQLException {
        String sql = new StatementFiles<>(PostgresqlDialect.ENGINE, PostgresqlStatement.class)
                .sql(PostgresqlStatement.valueOf(statement.toUpperCase(Locale.ROOT)));
        StringBuilder numbered = new StringBuilder();
        int parameters = 0;
        for (char c : sql.toCharArray()) {
            numbered.append(c == '?' ? "$" + ++parameters : c);
        }
        StringBuilder plan = new StringBuilder();
        try (Connection connection = connect();
                Statement explain = connection.createStatement()) {
            explain.execute("SET plan_cache_mode = force_generic_plan");
            explain.execute("SET enable_seqscan = off");
            explain.execute("PREPARE it AS " + numbered);
            String nulls = parameters == 0 ? "" : "(NULL" + ", NULL".repeat(parameters - 1) + ")";
            try (ResultSet lines = explain.executeQuery("EXPLAIN EXECUTE it" + nulls)) {
                while (lines.next()) {
                    plan.append(lines.getString(1)).append('\n');
                }
            }
        }
        return plan.toString();
    }

    @Override
    public String scan() {
        return "Seq Scan on ";
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    public String ask(String sql) throws SQLException {
        try (Connection connection = connect()) {
            return PostgresqlServer.ask(connection, sql);
        }
    }

    @Override
    public void close() throws SQLException {
        directory.close();
        server.drop(url);
    }
}
