package io.ringtable.benchmarks.engine;

import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Creates the benchmarks' databases on a SQL Server that is there already. {@code bench.sqlserver.url} names it, with
 * {@code .username} and {@code .password} of a login that may create databases and see the server's state.
 * <p>
 * Thread: any. Failure: an {@link IllegalStateException} has the server's own error.
 */
final class SqlserverServer {
    private static final String NOT_DURABLE = "delayed_durability=FORCED";
    private static final String URL = "bench.sqlserver.url";

    private final String url; // without a database's name
    private final String user;
    private final String password;
    private final Path directory;
    private final StatementFiles<SqlserverStatement> statements =
            new StatementFiles<>(Databases.SQLSERVER, SqlserverStatement.class);
    private int created;

    private SqlserverServer(String url, String user, String password, Path directory) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.directory = directory;
    }

    /**
     * Returns the server that the system properties name.
     *
     * @throws IllegalStateException if they name none
     */
    static SqlserverServer find(Path directory) {
        String url = System.getProperty(URL);
        if (url == null) {
            throw new IllegalStateException("engine=" + Databases.SQLSERVER + " needs " + URL
                    + ", such as jdbc:sqlserver://host:1433;trustServerCertificate=true");
        }
        return new SqlserverServer(
                url.replaceAll("(?i);(databaseName|database)=[^;]*", ""),
                System.getProperty("bench.sqlserver.username", "sa"),
                System.getProperty("bench.sqlserver.password", ""),
                directory);
    }

    synchronized BenchmarkDatabase create() {
        created++;
        String name = "ringtable_bench_" + ProcessHandle.current().pid() + "_" + created;
        administer(SqlserverStatement.DATABASE_CREATE, name);
        return new Database(name);
    }

    /** Puts the name, which is ours, into the text: CREATE and DROP DATABASE take no parameters. */
    private void administer(SqlserverStatement statement, String name) {
        try (Connection connection = connect("master");
                Statement ddl = connection.createStatement()) {
            ddl.execute(statements.sql(statement).replace("database_name", name));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private String url(String database) {
        return url + ";databaseName=" + database;
    }

    private Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url(database), user, password);
    }

    /** Holds one database on the server. */
    private final class Database implements BenchmarkDatabase {
        private final String name;
        private boolean delayed;

        Database(String name) {
            this.name = name;
        }

        @Override
        public String engine() {
            return Databases.SQLSERVER;
        }

        @Override
        public StoreSettings settings() {
            return StoreSettings.of(url(name), user, password, directory);
        }

        @Override
        public Connection connect() throws SQLException {
            return SqlserverServer.this.connect(name);
        }

        /**
         * Connects without waits for the log. From the first such connection on no commit in the database waits: the
         * procedures cannot ask for it.
         */
        @Override
        public synchronized Connection connectDelayed() throws SQLException {
            Connection connection = connect();
            if (!delayed) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(statements.sql(SqlserverStatement.DATABASE_DELAYED));
                }
                delayed = true;
            }
            return connection;
        }

        @Override
        public EngineMeter meter() {
            try {
                ServerMeter.Questions questions = new ServerMeter.Questions(
                        statements.sql(SqlserverStatement.DATABASE_COUNTS),
                        statements.sql(SqlserverStatement.DATABASE_SESSIONS),
                        statements.sql(SqlserverStatement.DATABASE_WAITS),
                        null,
                        statements.sql(SqlserverStatement.DATABASE_CONTENTION));
                return new ServerMeter(connect(), connect(), questions, null);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Optional<String> whyNotDurable(Connection session) throws SQLException {
            return settings(session).stream().filter(NOT_DURABLE::equals).findFirst();
        }

        @Override
        public Optional<String> whyNotOnDisk() {
            return Optional.empty(); // the server's disks are not ours to see
        }

        private List<String> settings(Connection session) throws SQLException {
            StatementFiles<DatabaseStatement> files = new StatementFiles<>(engine(), DatabaseStatement.class);
            List<String> settings = new ArrayList<>();
            try (Statement statement = session.createStatement();
                    ResultSet rows = statement.executeQuery(files.sql(DatabaseStatement.DATABASE_DURABILITY))) {
                while (rows.next()) {
                    settings.add(rows.getString(1) + "=" + rows.getString(2));
                }
            }
            return settings;
        }

        @Override
        public LogMeter logMeter() {
            try {
                return new ServerLogMeter(connect(), statements.sql(SqlserverStatement.DATABASE_LOG_BYTES));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public synchronized String description() {
            try (Connection connection = connect()) {
                Optional<String> whyNot = whyNotDurable(connection);
                if (!delayed && whyNot.isPresent()) {
                    throw new IllegalStateException(
                            whyNot.get() + ": not durable, and these measurements are of durable writes");
                }
                return "SQL Server, external, " + String.join(" ", settings(connection));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Path directory() {
            return directory;
        }

        @Override
        public void close() {
            administer(SqlserverStatement.DATABASE_DROP, name);
        }
    }
}
