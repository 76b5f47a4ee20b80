package io.ringtable.acceptance.harness;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gives databases on the SQL Server, or compatible server, that the environment names, and removes them with the test.
 * The store's own tests also start a SQL Server in a container.
 */
public final class SqlServer implements AutoCloseable {
    private static final String ENGINE = "sqlserver";
    private static final String PREFIX = "RINGTABLE_TEST_SQLSERVER_";
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final String url; // without a database
    private String database; // null until one is made

    private SqlServer(String url) {
        this.url = url;
    }

    /** The one that is named; else the test is skipped, or fails if {@code engines.required} names it. */
    public static SqlServer named() {
        String url = System.getenv(PREFIX + "URL");
        if (url == null) {
            Required.missing(
                    "engines.required",
                    ENGINE,
                    "no server is named. To run it: " + PREFIX
                            + "URL=jdbc:sqlserver://host:1433;trustServerCertificate=true" + " with " + PREFIX
                            + "USERNAME and " + PREFIX + "PASSWORD of a login that may create databases");
        }
        return new SqlServer(url.replaceAll("(?i);(databaseName|database)=[^;]*", ""));
    }

    /** An empty database on this server. @return its JDBC URL */
    public String createDatabase() {
        database = "ringtable_acceptance_" + ProcessHandle.current().pid() + "_" + DATABASES.incrementAndGet();
        execute("CREATE DATABASE " + database);
        return url + ";databaseName=" + database;
    }

    public String username() {
        return System.getenv(PREFIX + "USERNAME");
    }

    public String password() {
        return System.getenv(PREFIX + "PASSWORD");
    }

    private void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(url, username(), password());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() {
        if (database != null) {
            // SQL Server removes no database that a killed broker's connection is still seen in; others do not know the
            // word
            execute("IF SERVERPROPERTY('Babelfish') IS NULL EXECUTE ('ALTER DATABASE " + database
                    + " SET SINGLE_USER WITH ROLLBACK IMMEDIATE')");
            execute("DROP DATABASE " + database);
        }
    }
}
