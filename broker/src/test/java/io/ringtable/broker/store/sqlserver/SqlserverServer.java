package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.EngineAbsent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.mssqlserver.MSSQLServerContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * Provides a SQL Server for this JVM's tests: the one that {@value #URL_VARIABLE} names, else a container where Docker
 * runs. The tests' database user has the schema {@code ringtable} as its default and owns each database that it is
 * given. The login that makes databases is an administrator.
 */
public final class SqlserverServer {
    private static final Logger LOG = LoggerFactory.getLogger(SqlserverServer.class);

    private static final String PREFIX = "RINGTABLE_TEST_SQLSERVER_"; // URL, USERNAME, PASSWORD
    static final String URL_VARIABLE = PREFIX + "URL";

    private static final String LOGIN =
            "ringtable_test_" + ProcessHandle.current().pid();
    private static final String LOGIN_PASSWORD = "Rt-" + Long.toHexString(System.nanoTime()) + "-Zz9";
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static final Map<String, SqlserverServer> SHARED = new HashMap<>(); // by version; guarded by the class
    private static final Map<String, EngineAbsent> ABSENT = new HashMap<>(); // the same

    private final String url; // without a database
    private final String username;
    private final String password;
    private final boolean babelfish;

    private SqlserverServer(String url, String username, String password) throws SQLException {
        this.url = url.replaceAll("(?i);(databaseName|database)=[^;]*", "");
        this.username = username;
        this.password = password;
        try (Connection connection = administrator()) {
            this.babelfish = ask(connection, "SELECT CAST(SERVERPROPERTY('Babelfish') AS INT)") != null;
            change(connection, "CREATE LOGIN " + LOGIN + " WITH PASSWORD = '" + LOGIN_PASSWORD + "'");
        }
    }

    /**
     * The one server of this version in this JVM, begun by the first who asks.
     *
     * @param version tag of the container's image, e.g. {@code 2022-latest}
     * @param external whether a server that the environment names stands for this version
     */
    public static synchronized SqlserverServer shared(String version, boolean external) throws EngineAbsent {
        if (ABSENT.containsKey(version)) {
            throw ABSENT.get(version);
        }
        SqlserverServer known = SHARED.get(version);
        if (known == null) {
            try {
                known = begin(version, external);
            } catch (SQLException | RuntimeException e) {
                LOG.warn("{}", e.getMessage()); // a skipped test is easily overlooked
                ABSENT.put(version, new EngineAbsent("sqlserver", e.getMessage(), e));
                throw ABSENT.get(version);
            }
            SHARED.put(version, known);
        }
        return known;
    }

    /** Runs the oldest supported version, in a container; the test is skipped if the environment names a server. */
    public static SqlserverServer oldestSupported() throws EngineAbsent {
        Assumptions.assumeTrue(
                System.getenv(URL_VARIABLE) == null, "the environment names one server, and the tests run on it");
        return shared("2019-latest", false);
    }

    private static SqlserverServer begin(String version, boolean external) throws SQLException {
        String named = System.getenv(URL_VARIABLE);
        if (external && named != null) {
            return new SqlserverServer(named, System.getenv(PREFIX + "USERNAME"), System.getenv(PREFIX + "PASSWORD"));
        }
        if (!dockerAnswers()) {
            throw new IllegalStateException("NO SQL SERVER HAS RUN THESE TESTS. Neither is Docker there (image tag "
                    + version
                    + ") nor "
                    + (external ? "is " + URL_VARIABLE + " set" : "does an external server stand for this version")
                    + ". To run them: start Docker, or set " + URL_VARIABLE
                    + "=jdbc:sqlserver://host:1433;trustServerCertificate=true with " + PREFIX + "USERNAME and "
                    + PREFIX
                    + "PASSWORD of a login that may create databases and logins");
        }
        MSSQLServerContainer container = new MSSQLServerContainer(
                        DockerImageName.parse(MSSQLServerContainer.IMAGE).withTag(version))
                .acceptLicense();
        container.start(); // Testcontainers removes it when the JVM ends
        return new SqlserverServer(container.getJdbcUrl(), container.getUsername(), container.getPassword());
    }

    private static boolean dockerAnswers() {
        boolean worthAsking = System.getenv("DOCKER_HOST") != null || Files.exists(Path.of("/var/run/docker.sock"));
        return worthAsking && DockerClientFactory.instance().isDockerAvailable();
    }

    /** Speaks T-SQL, is no SQL Server: shows no plans and has no spinlocks. */
    public boolean isBabelfish() {
        return babelfish;
    }

    /** JDBC URL of a new, empty database, which belongs to {@link #username()}. */
    public String newDatabase() throws SQLException {
        String name = "ringtable_" + ProcessHandle.current().pid() + "_" + DATABASES.incrementAndGet();
        try (Connection connection = administrator()) {
            change(connection, "CREATE DATABASE " + name);
        }
        String databaseUrl = url + ";databaseName=" + name;
        try (Connection connection = administrator(databaseUrl)) {
            change(connection, "CREATE USER " + LOGIN + " FOR LOGIN " + LOGIN + " WITH DEFAULT_SCHEMA = ringtable");
            // Babelfish has no db_owner to be; the owner of the schema is enough for all but its making
            change(
                    connection,
                    babelfish
                            ? "CREATE SCHEMA ringtable AUTHORIZATION " + LOGIN
                            : "ALTER ROLE db_owner ADD MEMBER " + LOGIN);
        }
        return databaseUrl;
    }

    /** Removes a database that {@link #newDatabase} made, whoever is still connected to it. */
    public void drop(String databaseUrl) throws SQLException {
        String name = databaseUrl.replaceFirst(".*;databaseName=([^;]*).*", "$1");
        try (Connection connection = administrator()) {
            if (babelfish) {
                change(connection, "DROP DATABASE " + name); // knows no single user
            } else {
                execute(connection, "ALTER DATABASE " + name + " SET SINGLE_USER WITH ROLLBACK IMMEDIATE");
                execute(connection, "DROP DATABASE " + name);
            }
        }
    }

    /** Changes the server's catalogue, again and again while sessions that were cut or other suites are in the way. */
    private static void change(Connection connection, String sql) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> isDone(connection, sql));
    }

    private static boolean isDone(Connection connection, String sql) throws SQLException {
        try {
            execute(connection, sql);
            return true;
        } catch (SQLException e) {
            if (e.getMessage().contains("currently in use") // until the server notices the cut
                    || e.getMessage().contains("tuple concurrently updated")) { // Babelfish, where two suites change it
                return false;
            }
            throw e;
        }
    }

    public String username() {
        return LOGIN;
    }

    public String password() {
        return LOGIN_PASSWORD;
    }

    /** As the user of the tests. */
    Connection connect(String databaseUrl) throws SQLException {
        return DriverManager.getConnection(databaseUrl, LOGIN, LOGIN_PASSWORD);
    }

    Connection administrator(String databaseUrl) throws SQLException {
        return DriverManager.getConnection(databaseUrl, username, password);
    }

    private Connection administrator() throws SQLException {
        return administrator(url);
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }
}
