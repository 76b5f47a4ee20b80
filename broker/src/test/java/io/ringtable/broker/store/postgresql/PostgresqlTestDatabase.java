package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A database of its own on a PostgreSQL server. */
public final class PostgresqlTestDatabase implements TestDatabase {
    private final PostgresqlServer server;
    private final String url;

    /** On the shared server. */
    public PostgresqlTestDatabase() throws EngineAbsent, SQLException {
        this(PostgresqlServer.shared());
    }

    PostgresqlTestDatabase(PostgresqlServer server) throws SQLException {
        this.server = server;
        this.url = server.newDatabase();
    }

    @Override
    public StoreSettings settings() {
        return settings(url);
    }

    /** The same database through another door. */
    StoreSettings settings(String otherUrl) {
        return new StoreSettings(
                otherUrl,
                server.username(),
                server.password(),
                Path.of(System.getProperty("java.io.tmpdir")),
                4,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10));
    }

    String url() {
        return url;
    }

    @Override
    public Connection connect() throws SQLException {
        Connection connection = server.connect(url);
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
    public void cutConnections() throws SQLException {
        execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND application_name = 'ringtable'");
    }

    /** Asks the server for the plans of what the functions run, on a ring that has been used. */
    @Override
    public List<QueryPlan> hotPlans() throws SQLException {
        String calls =
                "SELECT flush(0, epoch, gate, -1, 0, 0, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',"
                        + " ARRAY[gate / 1024], '{0}', ARRAY[decode(repeat('00', 128), 'hex')],"
                        + " '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}') FROM shard;"
                        + "SELECT * FROM read_ring(0, (SELECT ARRAY[gate, gate + 1] FROM shard));"
                        + "SELECT * FROM read_backlog(0, 1, 0, 0, -1, 10, 1000);"
                        + "SELECT * FROM discard(0, (SELECT epoch FROM shard), 1, 0, 1024)";
        String plans = String.join("\n", explained(calls));
        return List.of(
                new QueryPlan("flush", plans, "shard_pk on shard", "Seq Scan on shard"),
                new QueryPlan("flush", plans, "Conflict Arbiter Indexes: settlement_pk", "Seq Scan on settlement_"),
                new QueryPlan("read_ring", plans, "_brin", "Seq Scan on slot_"),
                new QueryPlan("read_backlog", plans, "backlog_pk on backlog", "Seq Scan on backlog"),
                new QueryPlan("discard", plans, "backlog_settlement_pk on backlog_settlement", "Seq Scan on backlog_"));
    }

    /** What auto_explain says about every statement inside the functions. */
    List<String> explained(String calls) throws SQLException {
        List<String> plans = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("LOAD 'auto_explain'");
            statement.execute("SET auto_explain.log_min_duration = 0");
            statement.execute("SET auto_explain.log_nested_statements = on");
            statement.execute("SET client_min_messages = log");
            statement.execute("SET jit = off");
            statement.execute(calls);
            for (SQLWarning plan = statement.getWarnings(); plan != null; plan = plan.getNextWarning()) {
                plans.add(plan.getMessage());
            }
        }
        return plans;
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    String ask(String sql) throws SQLException {
        try (Connection connection = connect()) {
            return PostgresqlServer.ask(connection, sql);
        }
    }

    @Override
    public void close() throws SQLException {
        server.drop(url);
    }
}
