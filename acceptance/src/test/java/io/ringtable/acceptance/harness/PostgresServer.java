package io.ringtable.acceptance.harness;

import static org.awaitility.Awaitility.await;

import io.ringtable.broker.Ports;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A PostgreSQL server of the test's own, with syncing on, that can be stopped and started again on the same data and
 * port.
 */
public final class PostgresServer implements AutoCloseable {
    private static final String ENGINE = "postgresql";
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private static Path empty; // files of a server without databases; null until one is needed

    private final Path directory;
    private final boolean syncing;
    private final int port = Ports.free();
    private EmbeddedPostgres server;
    private Process wrapped;

    private PostgresServer(Path directory, boolean syncing) {
        this.directory = directory;
        this.syncing = syncing;
    }

    /** Starts one; where its binaries do not run the test is skipped, or fails if {@code engines.required} names it. */
    public static PostgresServer start(Path directory, boolean syncing) {
        PostgresServer postgres = new PostgresServer(directory, syncing);
        try {
            postgres.start();
        } catch (IOException | RuntimeException e) {
            Required.missing("engines.required", ENGINE, e.toString());
        }
        return postgres;
    }

    /** Starts it on the data it was stopped with. */
    public void start() throws IOException {
        Path data = directory.resolve("data");
        Files.createDirectories(directory);
        boolean fresh = !Files.exists(data.resolve("PG_VERSION"));
        if (fresh) {
            copyEmptyData(data);
        }
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setPort(port)
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setOverrideWorkingDirectory(binaries().toFile())
                .setPGStartupWait(Duration.ofSeconds(60))
                .setServerConfig("fsync", syncing ? "on" : "off")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "1000") // nodes of many shards, for each of several settings
                .setErrorRedirector(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("server.log").toFile()))
                .setOutputRedirector(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("server.log").toFile()));
        if (!fresh) {
            Files.deleteIfExists(data.resolve("epg-lock"));
        }
        server = builder.start();
    }

    /** The files of a server that was made and stopped once: making them anew takes seconds of processor time. */
    private static synchronized void copyEmptyData(Path data) throws IOException {
        if (empty == null) {
            Path made = Path.of("target", "postgres-data").toAbsolutePath();
            Bench.delete(made); // an earlier build's
            EmbeddedPostgres.builder()
                    .setDataDirectory(made)
                    .setCleanDataDirectory(false)
                    .setOverrideWorkingDirectory(binaries().toFile())
                    .setPGStartupWait(Duration.ofSeconds(60))
                    .start()
                    .close();
            Files.deleteIfExists(made.resolve("epg-lock"));
            empty = made;
        }
        Process copy = new ProcessBuilder("cp", "-R", "-p", empty.toString(), data.toString()).start();
        try {
            if (copy.waitFor() != 0) {
                throw new IOException(empty + " cannot be copied to " + data);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Unpacked once per build, not once per server. */
    private static Path binaries() {
        return Path.of("target", "postgres").toAbsolutePath();
    }

    /**
     * Starts it on the data it was stopped with, below a wrapper such as strace. As a child of this process it may be
     * traced wherever children may.
     */
    public void startUnder(List<String> wrapper) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(
                    List.of("unshare", "-U")); // the server refuses to run as root; a namespace hides that it does
        }
        command.add(binary("postgres").toString());
        command.addAll(List.of("-D", directory.resolve("data").toString(), "-p", Integer.toString(port)));
        command.addAll(List.of("-c", "fsync=" + (syncing ? "on" : "off"), "-c", "unix_socket_directories="));
        wrapped = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("server.log").toFile()))
                .start();
        await("the server").atMost(Duration.ofSeconds(60)).until(this::answers);
    }

    private static Path binary(String name) throws IOException {
        try (Stream<Path> files = Files.walk(binaries())) {
            return files.filter(file -> file.endsWith(Path.of("bin", name)))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private boolean answers() {
        try (Connection connection = DriverManager.getConnection(url("postgres"), username(), password())) {
            return connection.isValid(5);
        } catch (SQLException notYet) {
            return false;
        }
    }

    /** Fast shutdown: transactions are aborted, connections cut. */
    public void stop() {
        try {
            if (wrapped != null) {
                Signal.INT.to(pid());
                wrapped.waitFor(60, TimeUnit.SECONDS);
                wrapped = null;
            } else if (server != null) {
                server.close();
                server = null;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** An empty database on this server. @return its JDBC URL */
    public String createDatabase() {
        String name = "ringtable" + DATABASES.incrementAndGet();
        execute("postgres", "CREATE DATABASE " + name);
        return url(name);
    }

    public String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    public String username() {
        return "postgres";
    }

    public String password() {
        return "postgres";
    }

    public void execute(String database, String sql) {
        try (Connection connection = DriverManager.getConnection(url(database), username(), password());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** From now on a password is asked for, as it is on a server that others can reach. */
    public void askForPasswords() {
        execute("postgres", "ALTER USER " + username() + " PASSWORD '" + password() + "'");
        try {
            Files.writeString(directory.resolve("data/pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        execute("postgres", "SELECT pg_reload_conf()");
    }

    /** Process id of the server, the parent of all its processes. */
    public long pid() {
        try {
            return Long.parseLong(Files.readAllLines(directory.resolve("data/postmaster.pid"))
                    .get(0)
                    .strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The processes that serve the connections from these ports of this machine. */
    public Set<Long> backends(Set<Integer> clientPorts) {
        Set<Long> processes = new HashSet<>();
        try (Connection connection = DriverManager.getConnection(url("postgres"), username(), password());
                Statement statement = connection.createStatement();
                ResultSet backends =
                        statement.executeQuery("SELECT pid, client_port FROM pg_stat_activity WHERE client_port > 0")) {
            while (backends.next()) {
                if (clientPorts.contains(backends.getInt(2))) {
                    processes.add(backends.getLong(1));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return processes;
    }

    /** Every process of the server. */
    public Set<Long> processes() {
        Set<Long> processes = new HashSet<>(Set.of(pid()));
        ProcessHandle.of(pid())
                .orElseThrow()
                .descendants()
                .map(ProcessHandle::pid)
                .forEach(processes::add);
        return processes;
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        stop();
    }
}
