package io.ringtable.acceptance.citus;

import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Required;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.acceptance.harness.Signal;
import io.ringtable.broker.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A PostgreSQL server of this machine with Citus, which can be killed and started again on its data and port. It comes
 * from the installation of {@code pg_config}, since the servers of the other tests have no extensions.
 */
final class CitusServer implements AutoCloseable {
    static final String USER = "postgres";
    static final String DATABASE = "ringtable";
    static final String HOST = "127.0.0.1";

    private static final Duration START_MAX = Duration.ofMinutes(2);
    private static final String CURE = "install PostgreSQL with its server's headers, and build Citus from"
            + " github.com/citusdata/citus (./configure; make install), as docs/operations.md says below Citus";

    private final Path directory;
    private final int port = Ports.free();
    private Process process;

    private CitusServer(Path directory) {
        this.directory = directory;
    }

    /** Starts one with an empty database; where there is no Citus, the test is skipped and says how to get it. */
    static CitusServer start(Path directory) throws IOException, SQLException {
        String sharedir = answerOf("pg_config", "--sharedir");
        if (sharedir == null || !Files.exists(Path.of(sharedir, "extension", "citus.control"))) {
            throw Required.missing(
                    "engines.required",
                    "citus",
                    (sharedir == null ? "there is no pg_config" : sharedir + "/extension has no citus.control") + ": "
                            + CURE);
        }
        CitusServer server = new CitusServer(directory);
        Files.createDirectories(directory);
        server.run(server.command("initdb", "-A", "trust", "-U", USER, "-N", "-E", "UTF8", "-D", server.data()));
        Files.writeString(Path.of(server.data(), "postgresql.conf"), server.settings(), StandardOpenOption.APPEND);
        server.start();
        server.create(DATABASE);
        return server;
    }

    private String settings() {
        return """
                listen_addresses = '%s'
                port = %d
                unix_socket_directories = ''
                shared_preload_libraries = 'citus'
                max_connections = 200
                max_prepared_transactions = 200
                shared_buffers = 32MB
                citus.recover_2pc_interval = 1s
                """.formatted(HOST, port);
    }

    /** Starts it on the data that it was killed with. */
    void start() throws IOException {
        process = new ProcessBuilder(command("postgres", "-D", data()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        await("the server of " + log()).atMost(START_MAX).until(this::answers);
    }

    private boolean answers() throws IOException {
        if (!process.isAlive()) {
            throw new IOException("the server has ended: " + log() + "\n" + Files.readString(log()));
        }
        try (Connection connection = postgres().connect()) {
            return connection.isValid(5);
        } catch (SQLException notYet) {
            return false;
        }
    }

    /** Ends all of its processes where they stand. */
    void kill() {
        Signal.STOP.to(process.pid()); // it starts none while they are looked for
        Collection<Long> processes = processes();
        Signal.KILL.to(processes);
        await("the end of the server")
                .atMost(START_MAX)
                .until(() -> processes.stream()
                        .noneMatch(each -> ProcessHandle.of(each).isPresent()));
    }

    /** Lets all of its processes stand still. */
    void pause() {
        Signal.STOP.to(process.pid());
        Signal.STOP.to(processes());
    }

    void resume() {
        Signal.CONT.to(processes());
    }

    /**
     * Has commits wait on this server once they are on its disk, or no longer. They wait for a stand-by that there is
     * not. Those of {@code PREPARE TRANSACTION} and {@code COMMIT PREPARED} do so too.
     */
    void holdCommits(boolean held) throws SQLException {
        database().execute("ALTER SYSTEM SET synchronous_commit = " + (held ? "on" : "local"));
        database().execute("SELECT pg_reload_conf()");
        String value = held ? "on" : "local";
        await("synchronous_commit=" + value)
                .atMost(START_MAX)
                .until(() -> database().ask("SHOW synchronous_commit").contains(value));
    }

    /** Tells whether a commit waits on this server. */
    boolean holdsACommit() throws SQLException {
        return !database()
                .ask("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                .isEmpty();
    }

    /** Lets those go on that wait, which are on the disk. */
    void letCommitsGo() throws SQLException {
        database().execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    }

    /** Makes {@link #holdCommits} possible, and holds none yet. */
    void awaitAStandBy() throws SQLException {
        holdCommits(false);
        database().execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
        database().execute("SELECT pg_reload_conf()");
        await("a commit that waits").atMost(START_MAX).until(this::hasHeldOne);
    }

    private boolean hasHeldOne() throws SQLException {
        CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> {
            try {
                database().execute("SET synchronous_commit = on; SELECT pg_logical_emit_message(true, '', '')");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        await("its commit, or that it waits").atMost(START_MAX).until(() -> commit.isDone() || holdsACommit());
        boolean hasHeld = !commit.isDone();
        letCommitsGo();
        commit.join();
        return hasHeld;
    }

    private Collection<Long> processes() {
        Collection<Long> processes = new ArrayList<>(List.of(process.pid()));
        process.descendants().map(ProcessHandle::pid).forEach(processes::add);
        return processes;
    }

    ServerDatabase database() {
        return database(DATABASE);
    }

    ServerDatabase database(String name) {
        return new ServerDatabase(url(name), USER, "");
    }

    /** Creates a database that has Citus, and no other node yet. */
    ServerDatabase create(String name) throws SQLException {
        postgres().execute("CREATE DATABASE " + name);
        database(name).execute("CREATE EXTENSION citus");
        return database(name);
    }

    private ServerDatabase postgres() {
        return database("postgres");
    }

    private String url(String name) {
        return "jdbc:postgresql://" + HOST + ":" + port + "/" + name;
    }

    int port() {
        return port;
    }

    /** Runs a file of the broker's as its administrator does, with psql. */
    void setUp(Path file, String login, String name) throws IOException {
        run(List.of(
                program("psql"),
                "-qX",
                "-v",
                "ON_ERROR_STOP=1",
                "-v",
                "login=" + login,
                "-h",
                HOST,
                "-p",
                Integer.toString(port),
                "-U",
                USER,
                "-f",
                file.toString(),
                name));
    }

    private String data() {
        return directory.resolve("data").toString();
    }

    private Path log() {
        return directory.resolve("server.log");
    }

    /** The server refuses to run as root; a namespace hides that it does. */
    private List<String> command(String program, String... arguments) {
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("unshare", "-U"));
        }
        command.add(program(program));
        command.addAll(List.of(arguments));
        return command;
    }

    private static String program(String name) {
        return answerOf("pg_config", "--bindir") + "/" + name;
    }

    private void run(List<String> command) throws IOException {
        Process once = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        try {
            if (!once.waitFor(START_MAX.toSeconds(), TimeUnit.SECONDS) || once.exitValue() != 0) {
                once.destroyForcibly();
                throw new IOException(String.join(" ", command) + " failed: " + Files.readString(log()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Returns what a program prints; null if it is not there. */
    private static String answerOf(String... command) {
        try {
            Process asked = new ProcessBuilder(command).start();
            try (var output = asked.getInputStream()) {
                return new String(output.readAllBytes()).strip();
            }
        } catch (IOException absent) {
            return null;
        }
    }

    @Override
    public void close() {
        if (process != null) {
            kill();
        }
    }
}
