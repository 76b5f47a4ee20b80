package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.jdbc.SchemaMigrations;
import io.ringtable.broker.store.jdbc.StatementFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * The PostgreSQL server of this JVM's tests: the one that {@value #URL_VARIABLE} names, else a container where Docker
 * runs, else one of our own. Durable in each case, which is looked at before the first test.
 */
public final class PostgresqlServer {
    private static final String PREFIX = "RINGTABLE_TEST_POSTGRESQL_"; // URL, USERNAME, PASSWORD
    static final String URL_VARIABLE = PREFIX + "URL";
    /** Where Docker runs, another version is chosen by {@code -Dpostgresql.image=postgres:15}. */
    private static final String IMAGE = System.getProperty("postgresql.image", "postgres:18");

    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static PostgresqlServer shared; // guarded by the class
    private static EngineAbsent absent; // guarded by the class

    private final String url; // of a database that is there: others are made beside it
    private final String username;
    private final String password;
    private final boolean stays; // after the tests
    private String migrated; // name of the database that others are copies of; null until one is asked for

    private PostgresqlServer(String url, String username, String password, boolean stays) throws SQLException {
        this.stays = stays;
        this.url = url;
        this.username = username;
        this.password = password;
        try (Connection connection = connect(url)) {
            for (Map.Entry<String, String> setting : Map.of(
                            "fsync", "on", "synchronous_commit", "on", "full_page_writes", "on")
                    .entrySet()) {
                String actual = ask(connection, "SHOW " + setting.getKey());
                if (!actual.equals(setting.getValue())) {
                    throw new SQLException("the test server has " + setting.getKey() + "=" + actual);
                }
            }
        }
    }

    /** The one server of this JVM, begun by the first who asks. */
    public static synchronized PostgresqlServer shared() throws EngineAbsent {
        if (absent != null) {
            throw absent;
        }
        if (shared == null) {
            try {
                shared = begin();
            } catch (IOException | SQLException | RuntimeException e) {
                absent = new EngineAbsent("postgresql", e.getMessage(), e);
                throw absent;
            }
        }
        return shared;
    }

    private static PostgresqlServer begin() throws IOException, SQLException {
        String external = System.getenv(URL_VARIABLE);
        if (external != null) {
            return new PostgresqlServer(
                    external, System.getenv(PREFIX + "USERNAME"), System.getenv(PREFIX + "PASSWORD"), true);
        }
        if (dockerAnswers()) {
            PostgreSQLContainer container = new PostgreSQLContainer(IMAGE).withCommand("postgres");
            container.start(); // Testcontainers removes it when the JVM ends
            return new PostgresqlServer(
                    container.getJdbcUrl(), container.getUsername(), container.getPassword(), false);
        }
        return of(EmbeddedPostgresql.start());
    }

    /** A server of one test's own, which may be stopped and started. */
    public static PostgresqlServer of(EmbeddedPostgresql server) throws SQLException {
        return new PostgresqlServer(
                "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres",
                EmbeddedPostgresql.USER,
                EmbeddedPostgresql.PASSWORD,
                false);
    }

    private static boolean dockerAnswers() {
        boolean worthAsking = System.getenv("DOCKER_HOST") != null || Files.exists(Path.of("/var/run/docker.sock"));
        return worthAsking && DockerClientFactory.instance().isDockerAvailable();
    }

    /** JDBC URL of a new, empty database. */
    public String newDatabase() throws SQLException {
        return newDatabase("template1");
    }

    /** JDBC URL of a new database with Ringtable's schema and no rows: a copy of one that was migrated once. */
    synchronized String newMigratedDatabase() throws SQLException {
        if (migrated == null) {
            String first = newDatabase();
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(first);
            source.setUser(username);
            source.setPassword(password);
            String history = new StatementFiles<>(PostgresqlDialect.ENGINE, PostgresqlStatement.class)
                    .sql(PostgresqlStatement.VERIFY_SCHEMA);
            new SchemaMigrations(PostgresqlDialect.ENGINE, PostgresqlDialect.SCHEMA, source, history).migrate();
            migrated = name(first);
        }
        return newDatabase(migrated);
    }

    private String newDatabase(String template) throws SQLException {
        String name = "ringtable_" + ProcessHandle.current().pid() + "_" + DATABASES.incrementAndGet();
        execute("CREATE DATABASE " + name + " TEMPLATE " + template);
        return url.replaceFirst("/[^/?]*(\\?|$)", "/" + name + "$1");
    }

    private static String name(String databaseUrl) {
        return databaseUrl.replaceFirst(".*/([^/?]*).*", "$1");
    }

    /**
     * Removes a database that {@link #newDatabase} made, whoever is still connected to it. A server that ends with the
     * tests keeps it until then, since dropping one is a checkpoint of all.
     */
    public void drop(String databaseUrl) throws SQLException {
        if (!stays) {
            return;
        }
        execute("DROP DATABASE IF EXISTS " + name(databaseUrl) + " WITH (FORCE)");
    }

    public String username() {
        return username;
    }

    public String password() {
        return password;
    }

    public Connection connect(String databaseUrl) throws SQLException {
        return DriverManager.getConnection(databaseUrl, username, password);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
