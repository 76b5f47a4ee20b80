package io.ringtable.benchmarks.engine;

import io.ringtable.benchmarks.report.CpuTime;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.postgresql.PGConnection;

/**
 * Runs the benchmarks' PostgreSQL server. {@code bench.postgresql.url} names an external one, with {@code .username}
 * and {@code .password} of a role that may create databases. {@code .prepared} names a file of SQL that each of them
 * begins with, such as one that adds an extension. Without an URL the class starts binaries of Maven Central and
 * switches on everything that their packager switches off. The binaries are unpacked for each server, which takes
 * seconds, or once into the directory that {@code bench.postgresql.binaries} names, and stay there.
 * <p>
 * Thread: any.
 */
public final class PostgresServer implements AutoCloseable {
    private static final String DATA = "postgresql";
    private static final List<String> MUST_BE_ON = List.of("fsync", "synchronous_commit", "full_page_writes");
    private static final AtomicInteger CREATED = new AtomicInteger(); // databases: two objects may have one server

    private final EmbeddedPostgres embedded; // null if external
    private final String url; // without a database's name, ends with a slash
    private final String user;
    private final String password;
    private final Path directory;
    private final boolean synced;
    private final ProcessHandle process; // null on another machine
    private final StatementFiles<ServerStatement> statements =
            new StatementFiles<>(Databases.POSTGRESQL, ServerStatement.class);

    private PostgresServer(
            EmbeddedPostgres embedded, String url, String user, String password, Path directory, boolean synced)
            throws IOException {
        this.embedded = embedded;
        this.url = url;
        this.user = user;
        this.password = password;
        this.directory = directory;
        this.synced = synced;
        this.process = embedded == null ? parentOfSession() : postmaster(directory.resolve(DATA));
    }

    /** Returns the first process of an external server of this machine; null of another one. */
    private ProcessHandle parentOfSession() throws IOException {
        if (!url.contains("//127.0.0.1:") && !url.contains("//localhost:")) {
            return null;
        }
        try (Connection connection = connect("postgres")) {
            int session = connection.unwrap(PGConnection.class).getBackendPID();
            return ProcessHandle.of(session).flatMap(ProcessHandle::parent).orElse(null);
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    private static ProcessHandle postmaster(Path data) throws IOException {
        try (Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
            return ProcessHandle.of(Long.parseLong(lines.findFirst().orElseThrow()))
                    .orElseThrow();
        }
    }

    /** @param synced whether a server that is started here syncs its log */
    static PostgresServer start(Path directory, boolean synced) {
        try {
            return startOrFind(directory, synced);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PostgresServer startOrFind(Path directory, boolean synced) throws IOException {
        String external = System.getProperty("bench.postgresql.url");
        if (external != null) {
            return new PostgresServer(
                    null,
                    external.substring(0, external.lastIndexOf('/') + 1),
                    System.getProperty("bench.postgresql.username", "postgres"),
                    System.getProperty("bench.postgresql.password", ""),
                    directory,
                    synced);
        }
        EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve(DATA))
                .setOverrideWorkingDirectory(binaries(directory).toFile())
                .setServerConfig("fsync", synced ? "on" : "off")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("shared_buffers", "512MB")
                .setServerConfig("max_wal_size", "4GB")
                .setServerConfig("max_connections", "100")
                .start();
        String url = server.getJdbcUrl("postgres", "postgres");
        return new PostgresServer(
                server,
                url.replaceFirst("\\?.*", "").replaceFirst("[^/]*$", ""),
                "postgres",
                "postgres",
                directory,
                synced);
    }

    private static Path binaries(Path directory) {
        String kept = System.getProperty("bench.postgresql.binaries");
        return kept == null ? directory.resolve("binaries") : Path.of(kept);
    }

    synchronized BenchmarkDatabase create() {
        String name = "ringtable_bench_" + ProcessHandle.current().pid() + "_" + CREATED.incrementAndGet();
        administer(ServerStatement.DATABASE_CREATE, name);
        String prepared = System.getProperty("bench.postgresql.prepared");
        if (prepared != null) {
            prepare(name, Path.of(prepared));
        }
        return new Database(name);
    }

    private void prepare(String name, Path file) {
        try (Connection connection = connect(name);
                Statement all = connection.createStatement()) {
            all.execute(Files.readString(file));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts the name, which is ours, into the text: CREATE and DROP DATABASE take no parameters. */
    private void administer(ServerStatement statement, String name) {
        try (Connection connection = connect("postgres");
                Statement ddl = connection.createStatement()) {
            ddl.execute(statements.sql(statement).replace("database_name", name));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url + database, user, password);
    }

    @Override
    public void close() {
        if (embedded != null) {
            try {
                embedded.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Holds one database on the server. */
    public final class Database implements BenchmarkDatabase {
        private final String name;

        private Database(String name) {
            this.name = name;
        }

        @Override
        public String engine() {
            return Databases.POSTGRESQL;
        }

        @Override
        public StoreSettings settings() {
            StoreProperties usual =
                    StoreSettings.of(url + name, user, password, directory).properties();
            return new StoreSettings(
                    new StoreProperties(
                            usual.url(),
                            usual.username(),
                            usual.password(),
                            usual.readersMax(),
                            usual.connectTimeout(),
                            usual.statementTimeout(),
                            !synced), // the store refuses a server that does not sync, unless it is told
                    directory);
        }

        @Override
        public Connection connect() throws SQLException {
            return PostgresServer.this.connect(name);
        }

        @Override
        public Connection connectDelayed() throws SQLException {
            Connection connection = connect();
            try (Statement statement = connection.createStatement()) {
                statement.execute(statements.sql(ServerStatement.SESSION_DELAYED));
            }
            return connection;
        }

        /** Opens a session that holds a snapshot open until the session closes, as a forgotten report would. */
        public Connection holdSnapshot() throws SQLException {
            Connection connection = connect();
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            ask(connection, ServerStatement.SNAPSHOT_HOLD);
            return connection;
        }

        /** Returns the size of the database with its indexes. */
        public long bytes() throws SQLException {
            try (Connection connection = connect()) {
                return Long.parseLong(ask(connection, ServerStatement.DATABASE_BYTES));
            }
        }

        @Override
        public EngineMeter meter() {
            try {
                Connection counting = connect();
                ServerMeter.Questions questions = new ServerMeter.Questions(
                        statements.sql(ServerStatement.DATABASE_COUNTS),
                        statements.sql(ServerStatement.DATABASE_SESSIONS),
                        statements.sql(ServerStatement.DATABASE_WAITS),
                        seesBuffers(counting) ? statements.sql(ServerStatement.DATABASE_DIRTY) : null,
                        null); // its latches are among the waits
                return new ServerMeter(
                        counting, connect(), questions, embedded == null ? null : new DeviceCounts(directory));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private boolean seesBuffers(Connection connection) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(statements.sql(ServerStatement.DATABASE_EXTEND));
                return true;
            } catch (SQLException e) {
                return false; // no such right, or not installed: the figure is absent
            }
        }

        @Override
        public Optional<String> whyNotDurable(Connection session) throws SQLException {
            Map<String, String> settings = settings(session);
            Optional<String> off = MUST_BE_ON.stream()
                    .filter(name -> !"on".equals(settings.get(name)))
                    .map(name -> name + "=" + settings.get(name))
                    .findFirst();
            return off.or(this::whyNotOnDisk);
        }

        @Override
        public Optional<String> whyNotOnDisk() {
            return embedded == null ? Optional.empty() : Durability.whyNotOnDisk(directory);
        }

        private Map<String, String> settings(Connection session) throws SQLException {
            StatementFiles<DatabaseStatement> files = new StatementFiles<>(engine(), DatabaseStatement.class);
            Map<String, String> settings = new LinkedHashMap<>();
            try (Statement statement = session.createStatement();
                    ResultSet rows = statement.executeQuery(files.sql(DatabaseStatement.DATABASE_DURABILITY))) {
                while (rows.next()) {
                    settings.put(rows.getString(1), rows.getString(2));
                }
            }
            return settings;
        }

        @Override
        public LogMeter logMeter() {
            try {
                return new ServerLogMeter(connect(), statements.sql(ServerStatement.DATABASE_LOG_BYTES));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public String description() {
            try (Connection connection = connect()) {
                Optional<String> whyNot = whyNotDurable(connection);
                if (synced && whyNot.isPresent()) {
                    throw new IllegalStateException(
                            whyNot.get() + ": not durable, and these measurements are of durable writes");
                }
                return (embedded == null ? "PostgreSQL, external, " : "PostgreSQL, started here, ")
                        + settings(connection).entrySet().stream()
                                .map(Object::toString)
                                .collect(Collectors.joining(" "));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private String ask(Connection connection, ServerStatement question) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(statements.sql(question))) {
                row.next();
                return row.getString(1);
            }
        }

        @Override
        public double cpuSeconds() {
            return BenchmarkDatabase.super.cpuSeconds() + serverSeconds();
        }

        /** Returns the processor time of the server alone; 0 if it is on another machine. */
        public double serverSeconds() {
            return process == null ? 0 : CpuTime.seconds(process);
        }

        @Override
        public Path directory() {
            return directory;
        }

        @Override
        public void close() {
            administer(ServerStatement.DATABASE_DROP, name);
        }
    }
}
