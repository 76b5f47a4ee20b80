package io.ringtable.broker.store.sqlserver;

import com.microsoft.sqlserver.jdbc.SQLServerDataSource;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.jdbc.Dialect;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets connections to the server up, and knows which servers are supported. The driver gets {@code store.url} unchanged
 * ({@code multiSubnetFailover}, {@code authentication}, {@code trustServerCertificate}...), and encrypts unless the URL
 * says otherwise. Thread: any.
 */
final class SqlserverDialect implements Dialect {
    private static final Logger LOG = LoggerFactory.getLogger(SqlserverDialect.class);

    static final String ENGINE = "sqlserver";
    static final String SCHEMA = "ringtable";
    static final String SUPPORTED = "SQL Server 2019 to 2025 and Azure SQL";

    /**
     * Limits the bodies that fit into a slot and are not staged: four rows of 101 + 1,920 bytes fill a page of 8,096.
     */
    static final int SLOT_BYTES = 1920;

    /**
     * Limits a flush: each claim locks a key and at most a page. So 4,000 locks stay below the 5,000 that the server
     * exchanges for one lock on the table.
     */
    static final int FLUSH_MESSAGES_MAX = 2000;

    private static final int LOG_BLOCK_BYTES = 60 * 1024;
    private static final int VERSION_MIN = 15;
    private static final int COMPATIBILITY_LEVEL_MIN = 130; // OPENJSON
    private static final int AZURE_SQL_DATABASE = 5;
    private static final int AZURE_MANAGED_INSTANCE = 8;
    private static final int LOCK_TIMEOUT_SHARE = 3; // the lock wait ends before the whole call does
    private static final int SOCKET_MARGIN_SECONDS = 2; // the server gives up first and says so
    private static final Map<Integer, String> YEARS = Map.of(15, "2019", 16, "2022", 17, "2025");

    /** Reads dozens of files once in a process, which may open many stores. */
    private static final StatementFiles<SqlserverStatement> STATEMENTS =
            new StatementFiles<>(ENGINE, SqlserverStatement.class);

    private final SQLServerDataSource dataSource;
    private final SQLServerDataSource migrationDataSource;
    private final boolean delayedDurabilityAllowed;
    private final String place;

    SqlserverDialect(StoreProperties settings) {
        place = settings.shownUrl();
        delayedDurabilityAllowed = settings.delayedDurability();
        dataSource = connecting(settings);
        long statementMs = settings.statementTimeout().toMillis();
        dataSource.setLockTimeout((int) Math.min(Integer.MAX_VALUE, Math.max(1, statementMs / LOCK_TIMEOUT_SHARE)));
        dataSource.setQueryTimeout(seconds(settings.statementTimeout()));
        dataSource.setSocketTimeout((int)
                Math.min(Integer.MAX_VALUE, 1000L * (seconds(settings.statementTimeout()) + SOCKET_MARGIN_SECONDS)));
        dataSource.setEnablePrepareOnFirstPreparedStatementCall(true);
        migrationDataSource = connecting(settings);
    }

    private static SQLServerDataSource connecting(StoreProperties settings) {
        SQLServerDataSource source = new SQLServerDataSource();
        source.setURL(settings.url());
        if (settings.username() != null) {
            source.setUser(settings.username());
        }
        if (settings.password() != null) {
            source.setPassword(settings.password());
        }
        if (!settings.url().toLowerCase(Locale.ROOT).contains("applicationname=")) {
            source.setApplicationName("ringtable");
        }
        source.setLoginTimeout(Math.min(seconds(settings.connectTimeout()), 65_535)); // the driver's own bound
        // A connection that the driver restores has lost its transaction. The store must hear of the loss, and then
        // reads the tables.
        source.setConnectRetryCount(0);
        return source;
    }

    private static int seconds(Duration duration) {
        return (int) Math.min(Integer.MAX_VALUE / 2000, (duration.toMillis() + 999) / 1000);
    }

    StatementFiles<SqlserverStatement> statements() {
        return STATEMENTS;
    }

    @Override
    public String engine() {
        return ENGINE;
    }

    @Override
    public String place() {
        return place;
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public DataSource dataSource() {
        return dataSource;
    }

    @Override
    public DataSource migrationDataSource() {
        return migrationDataSource;
    }

    @Override
    public String historyRows() {
        return STATEMENTS.sql(SqlserverStatement.VERIFY_SCHEMA);
    }

    @Override
    public StoreLimits verify(Connection connection) throws SQLException {
        try (Statement question = connection.createStatement();
                ResultSet answer = question.executeQuery(STATEMENTS.sql(SqlserverStatement.VERIFY_VERSION))) {
            answer.next();
            String version = answer.getString(1);
            int edition = answer.getInt(2);
            boolean babelfish = answer.getInt(3) == 1;
            String name = name(version, edition, babelfish);
            if (!isSupported(version, edition, babelfish)) {
                throw StoreErrors.unsupported("RT-3002", "the server is " + name + "; supported are " + SUPPORTED);
            }
            if ("READ_ONLY".equals(answer.getString(4))) {
                throw StoreErrors.replica("database '" + answer.getString(5) + "' of this " + name
                        + " takes no writes: let ringtable.store.url name the primary"
                        + " (the listener of its availability group, without applicationIntent=ReadOnly)");
            }
            if (babelfish) {
                LOG.warn(
                        "RT-3032 {} does not tell whether its commits wait for the disk: check fsync,"
                                + " synchronous_commit and full_page_writes of its PostgreSQL yourself",
                        name);
                return limits(name + " (its durability is not checked)", null);
            }
            return limits(name, delayed(connection, name));
        }
    }

    /**
     * Answers whether a server is supported.
     *
     * @param edition the server's EngineEdition; Azure counts its versions in its own way
     */
    static boolean isSupported(String version, int edition, boolean babelfish) {
        return babelfish
                || edition == AZURE_SQL_DATABASE
                || edition == AZURE_MANAGED_INSTANCE
                || major(version) >= VERSION_MIN;
    }

    static String name(String version, int edition, boolean babelfish) {
        if (babelfish) {
            return "Babelfish " + version;
        }
        if (edition == AZURE_SQL_DATABASE || edition == AZURE_MANAGED_INSTANCE) {
            return (edition == AZURE_SQL_DATABASE ? "Azure SQL Database " : "Azure SQL Managed Instance ") + version;
        }
        String year = YEARS.get(major(version));
        return "SQL Server " + (year == null ? version : year + " (" + version + ")");
    }

    private static int major(String version) {
        String first = version.replaceAll("[.].*", "");
        return first.matches("\\d{1,6}") ? Integer.parseInt(first) : 0;
    }

    private static StoreLimits limits(String name, String delayed) {
        return new StoreLimits(name, SLOT_BYTES, FLUSH_MESSAGES_MAX, LOG_BLOCK_BYTES, false, delayed, null);
    }

    /** Returns the setting that delays durability; null if every commit waits for the log. */
    private String delayed(Connection connection, String name) throws SQLException {
        try (Statement question = connection.createStatement();
                ResultSet answer = question.executeQuery(STATEMENTS.sql(SqlserverStatement.VERIFY_DURABILITY))) {
            if (!answer.next()) {
                return null;
            }
            checkCompatibility(name, answer.getInt(2));
            if (!"FORCED".equals(answer.getString(1))) {
                return null; // ALLOWED is harmless: none of our commits asks for it
            }
        }
        if (!delayedDurabilityAllowed) {
            throw StoreErrors.unsupported(
                    "RT-3007",
                    name
                            + " runs with DELAYED_DURABILITY = FORCED: committed messages can be lost in a crash. Set"
                            + " it to DISABLED or ALLOWED, or allow it with ringtable.store.delayed-durability=true");
        }
        LOG.warn("RT-3031 {} runs with DELAYED_DURABILITY = FORCED: accepted messages can be lost in a crash", name);
        return "DELAYED_DURABILITY = FORCED";
    }

    /**
     * Refuses a compatibility level that is too low. A restored or attached database keeps the level of its older
     * server until an operator raises it.
     */
    static void checkCompatibility(String name, int level) {
        if (level < COMPATIBILITY_LEVEL_MIN) {
            throw StoreErrors.unsupported(
                    "RT-3002",
                    "the database on this " + name + " has compatibility level " + level + " < "
                            + COMPATIBILITY_LEVEL_MIN + ": ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = 150");
        }
    }

    @Override
    public Kind classify(SQLException failure) {
        return SqlserverErrors.kind(failure);
    }
}
