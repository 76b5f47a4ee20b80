package io.ringtable.broker.store.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * Finds out which version of the schema a database has, and makes the steps from there to this broker's.
 * <p>
 * The class refuses a database with foreign tables, or with a schema that this broker does not know, and leaves it
 * alone. Thread: the caller's; the caller ensures that no other node owns a shard meanwhile.
 * <p>
 * Flyway reads every step from the class path and opens a connection of its own each time that it is asked. A stand-by
 * asks at each try, and each shard of a process twice. So the class remembers, for each engine, the last history that
 * Flyway called current, and asks only about another one.
 */
public final class SchemaMigrations {
    /** Names Flyway's own table; its presence tells a database of Ringtable from a foreign one. */
    public static final String HISTORY = "ringtable_schema_history";

    /** Holds rows of the history, by engine. Flyway's answer depends on them and on the class path alone. */
    private static final Map<String, List<List<String>>> CURRENT = new ConcurrentHashMap<>();

    private final String engine;
    private final String schema; // null = the database has none
    private final DataSource dataSource;
    private final String historyRows;
    private Flyway flyway; // null until it is asked: to make one is work too

    /** Says whether the schema needs steps before its use. */
    public enum State {
        /** The schema has no table, or only the history of an interrupted first start. */
        EMPTY,
        /** The schema is ours and lacks steps. */
        OLDER,
        CURRENT
    }

    /**
     * @param schema created if missing; null = the database has neither schemas nor procedures
     * @param historyRows the statement that reads which steps the database has taken
     */
    public SchemaMigrations(String engine, String schema, DataSource dataSource, String historyRows) {
        this.engine = engine;
        this.schema = schema;
        this.dataSource = dataSource;
        this.historyRows = historyRows;
    }

    private synchronized Flyway flyway() {
        if (flyway == null) {
            FluentConfiguration configuration = Flyway.configure(SchemaMigrations.class.getClassLoader())
                    .dataSource(dataSource)
                    .locations(locations(engine, schema))
                    .resolvers(new ProcedureFiles())
                    // Procedures that this broker no longer has, or not yet: nobody calls them.
                    .ignoreMigrationPatterns("*:future", "repeatable:missing")
                    .table(HISTORY)
                    .group(true) // one transaction, where the engine can: an interrupted start changes nothing
                    .cleanDisabled(true)
                    // An ALTER of SQLite 3.53 answers with rows, which the log of an application would draw as a table.
                    .outputQueryResults(false)
                    .validateOnMigrate(true);
            if (schema != null) {
                configuration.schemas(schema).createSchemas(true);
            }
            flyway = configuration.load();
        }
        return flyway;
    }

    /** Returns only the folders that have steps: each start looks at every file in them. */
    private static String[] locations(String engine, String schema) {
        String migrations = "classpath:db/" + engine + "/migrations";
        return schema == null ? new String[] {migrations} : new String[] {migrations, ProcedureFiles.location(engine)};
    }

    /** Compares the schema without writing. Throws UNSUPPORTED if the database is foreign, newer or altered. */
    public State check(Connection connection) throws SQLException {
        if (refuseForeign(connection, schema)) {
            return State.EMPTY;
        }
        List<List<String>> history = history(connection);
        if (history.equals(CURRENT.get(engine))) {
            return State.CURRENT;
        }
        State state = judge();
        // Rows are only added: what was the same before and after is what Flyway has seen.
        if (state == State.CURRENT && history.equals(history(connection))) {
            CURRENT.put(engine, history);
        }
        return state;
    }

    private List<List<String>> history(Connection connection) throws SQLException {
        List<List<String>> steps = new ArrayList<>();
        try (Statement question = connection.createStatement();
                ResultSet rows = question.executeQuery(historyRows)) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                List<String> step = new ArrayList<>(columns); // which may hold nulls
                for (int column = 1; column <= columns; column++) {
                    step.add(rows.getString(column));
                }
                steps.add(step);
            }
        }
        return steps;
    }

    private State judge() {
        State state = State.CURRENT;
        boolean begun = false;
        for (MigrationInfo step : flyway().info().all()) {
            refuseUnknown(step);
            begun |= step.isVersioned() && step.getState().isApplied();
            if (step.getState() == MigrationState.PENDING || step.getState() == MigrationState.OUTDATED) {
                state = State.OLDER;
            }
        }
        return begun ? state : State.EMPTY;
    }

    /**
     * Says whether there is no table. Throws UNSUPPORTED if there are tables and none of them is our history.
     *
     * @param schema ours, whether or not it exists and whatever the connection's own is; null = the whole database
     */
    public static boolean refuseForeign(Connection connection, String schema) throws SQLException {
        List<String> tables = tables(connection, schema);
        if (!tables.isEmpty() && !tables.contains(HISTORY)) {
            throw StoreErrors.unsupported(
                    "RT-3003",
                    "the database is not Ringtable's: it holds " + tables.size() + " tables ('" + tables.get(0)
                            + "'...) but no '" + HISTORY + "'; give Ringtable a database or a schema of its own");
        }
        return tables.isEmpty();
    }

    /** Answers whether a table is there: some questions come before the first step, or before one that brings it. */
    boolean has(Connection connection, String table) throws SQLException {
        return tables(connection, schema).contains(table);
    }

    /** Makes every step that is missing. */
    public void migrate() throws SQLException {
        try {
            flyway().migrate();
        } catch (FlywayException e) {
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                if (cause instanceof SQLException failure) {
                    throw failure;
                }
            }
            throw StoreErrors.unsupported(
                    "RT-3005", "the schema of " + engine + " cannot be migrated: " + e.getMessage());
        }
    }

    private void refuseUnknown(MigrationInfo step) {
        MigrationState state = step.getState();
        if (!step.isVersioned() && !state.isFailed()) {
            return; // a procedure: the owner of the shard installs the newest text of each
        }
        if (state == MigrationState.FUTURE_SUCCESS
                || state == MigrationState.FUTURE_FAILED
                || state == MigrationState.MISSING_SUCCESS
                || state == MigrationState.MISSING_FAILED) {
            throw StoreErrors.unsupported(
                    "RT-3004",
                    "the database's schema has step " + name(step) + ", which this broker does not know; it supports "
                            + supported() + ": start the broker that made it, or a newer one");
        }
        if (state.isFailed() || (state.isApplied() && !step.isChecksumMatching())) {
            throw StoreErrors.unsupported(
                    "RT-3005",
                    "the database's schema step " + name(step)
                            + (state.isFailed() ? " failed half-way" : " differs from the step of this broker")
                            + "; this broker supports " + supported() + ": restore the database from a backup");
        }
    }

    /** Returns the versions of this broker, for error messages. */
    private String supported() {
        List<String> versions = new ArrayList<>();
        for (MigrationInfo step : flyway().info().all()) {
            if (step.getState().isResolved() && step.isVersioned()) {
                versions.add(step.getVersion().getVersion());
            }
        }
        return versions.isEmpty()
                ? "none"
                : "schema versions " + versions.get(0) + " to " + versions.get(versions.size() - 1);
    }

    private static String name(MigrationInfo step) {
        return (step.getVersion() == null ? "" : step.getVersion() + " ") + "'" + step.getDescription() + "'";
    }

    private static List<String> tables(Connection connection, String schema) throws SQLException {
        List<String> names = new ArrayList<>();
        String[] kinds = {"TABLE", "PARTITIONED TABLE"};
        try (ResultSet tables = connection.getMetaData().getTables(connection.getCatalog(), schema, "%", kinds)) {
            while (tables.next()) {
                names.add(tables.getString("TABLE_NAME"));
            }
        }
        return names;
    }
}
