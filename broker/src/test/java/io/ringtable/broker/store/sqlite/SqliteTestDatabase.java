package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.jdbc.OwnFiles;
import io.ringtable.broker.store.jdbc.SchemaMigrations;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A SQLite file in a temporary directory. */
public final class SqliteTestDatabase implements TestDatabase {
    private static byte[] migrated; // guarded by the class; null until the first copy is asked for

    private final Path directory;
    private final int shard;

    /** Empty. */
    public SqliteTestDatabase() throws IOException {
        this(0);
    }

    /** Empty, and of a shard other than the first, whose file is not there. */
    SqliteTestDatabase(int shard) throws IOException {
        this.directory = Files.createTempDirectory("ringtable-sqlite");
        this.shard = shard;
    }

    /** With the schema and no rows. */
    public static SqliteTestDatabase migrated() throws IOException {
        return migrated(0);
    }

    static SqliteTestDatabase migrated(int shard) throws IOException {
        SqliteTestDatabase database = new SqliteTestDatabase(shard);
        layMigrated(database.directory, shard);
        return database;
    }

    /**
     * Lays the file of a shard with the schema and no rows, unless the file is there. It is a copy of one that was
     * migrated once: a copy is there earlier than the migrations are through.
     */
    public static void layMigrated(Path directory, int shard) {
        Path file = file(directory, shard);
        if (Files.exists(file)) {
            return;
        }
        try {
            OwnFiles.createDirectories(directory);
            OwnFiles.createNew(file);
            Files.write(file, migratedFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static synchronized byte[] migratedFile() throws IOException {
        if (migrated == null) {
            SqliteTestDatabase first = new SqliteTestDatabase();
            try {
                migrated = first.migrate();
            } finally {
                first.close();
            }
        }
        return migrated;
    }

    /** Makes all steps, as the store does, and returns the file. */
    private byte[] migrate() throws IOException {
        try (SqliteFile held = SqliteFile.lock(file(), "")) {
            SqliteDialect dialect = new SqliteDialect(held);
            new SchemaMigrations(
                            dialect.engine(), dialect.schema(), dialect.migrationDataSource(), dialect.historyRows())
                    .migrate();
            return Files.readAllBytes(held.path()); // the last connection has copied the log into it
        } catch (SQLException e) {
            throw new IllegalStateException("the template of SQLite files cannot be migrated", e);
        }
    }

    public Path file() {
        return file(directory, shard);
    }

    private static Path file(Path directory, int shard) {
        return SqliteFile.ofShard(directory.resolve("ringtable.db"), shard);
    }

    @Override
    public StoreSettings settings() {
        return StoreSettings.embedded(directory).ofShard(shard);
    }

    @Override
    public Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
        execute(connection, "PRAGMA busy_timeout = 5000");
        return connection;
    }

    @Override
    public void refuseRowsOf(long addressId) throws SQLException {
        try (Connection connection = connect()) {
            execute(
                    connection,
                    "CREATE TRIGGER refuse_rows BEFORE UPDATE ON slot WHEN NEW.address_id = " + addressId
                            + " BEGIN SELECT RAISE(ABORT, 'refused by the test'); END");
        }
    }

    @Override
    public void loseChunk(long bodyId) throws SQLException {
        try (Connection connection = connect()) {
            execute(connection, "DELETE FROM overflow WHERE chunk = 0 AND body_id = " + bodyId);
        }
    }

    @Override
    public void bringBackEpoch(long epoch) throws SQLException {
        try (Connection connection = connect()) {
            execute(connection, "UPDATE shard SET epoch = " + epoch);
        }
    }

    @Override
    public void damageRing(long sequence) throws SQLException {
        try (Connection connection = connect()) {
            execute(connection, "UPDATE slot SET sequence = sequence + 7 WHERE sequence = " + sequence);
        }
    }

    @Override
    public List<QueryPlan> hotPlans() throws SQLException {
        List<QueryPlan> plans = new ArrayList<>();
        try (Connection connection = connect()) {
            plans.add(plan(connection, SqliteStatement.CHECK_OWNER, "shard USING INTEGER PRIMARY KEY"));
            plans.add(plan(connection, SqliteStatement.FLUSH_PREDECESSOR, "slot USING INTEGER PRIMARY KEY"));
            plans.add(plan(connection, SqliteStatement.FLUSH_CLAIM, "slot USING INTEGER PRIMARY KEY"));
            plans.add(plan(connection, SqliteStatement.FLUSH_CLAIM_PLAIN, "slot USING INTEGER PRIMARY KEY"));
            plans.add(plan(connection, SqliteStatement.RECLAIM_COUNT, "slot USING INTEGER PRIMARY KEY"));
            plans.add(plan(connection, SqliteStatement.RECLAIM_LEDGER, "settlement USING PRIMARY KEY"));
            plans.add(plan(connection, SqliteStatement.RECLAIM_MOVE, "m USING INTEGER PRIMARY KEY"));
            plans.add(plan(connection, SqliteStatement.READ_RING, "slot USING INTEGER PRIMARY KEY"));
            plans.add(plan(connection, SqliteStatement.READ_RING_SETTLEMENTS, "settlement USING PRIMARY KEY"));
            plans.add(plan(connection, SqliteStatement.READ_BACKLOG, "backlog USING INDEX backlog_by_address"));
            plans.add(
                    plan(connection, SqliteStatement.READ_BACKLOG_SETTLEMENTS, "backlog_settlement USING PRIMARY KEY"));
            plans.add(plan(connection, SqliteStatement.DISCARD_ROWS, "m USING INDEX backlog_by_address"));
        }
        return plans;
    }

    @Override
    public String plan(String statement) throws SQLException {
        try (Connection connection = connect()) {
            return plan(connection, SqliteStatement.valueOf(statement.toUpperCase(Locale.ROOT)), "")
                    .plan();
        }
    }

    @Override
    public String scan() {
        return "SCAN ";
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private static QueryPlan plan(Connection connection, SqliteStatement statement, String key) throws SQLException {
        String sql = new StatementFiles<>(SqliteDialect.ENGINE, SqliteStatement.class).sql(statement);
        StringBuilder plan = new StringBuilder();
        try (Statement explain = connection.createStatement();
                ResultSet steps = explain.executeQuery("EXPLAIN QUERY PLAN " + sql)) {
            while (steps.next()) {
                plan.append(steps.getString("detail")).append('\n');
            }
        }
        return new QueryPlan(statement.name().toLowerCase(Locale.ROOT), plan.toString(), key, "SCAN");
    }
}
