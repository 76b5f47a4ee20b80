package io.ringtable.cli.process;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs a PostgreSQL server until standard input ends, in a process of its own: {@code PostgresqlProgram DIRECTORY}.
 * Prints {@code ready URL} when the server answers. The data is in the directory, stays there, and is found again.
 * <p>
 * Standard input ends with the command, even if it was killed. The brokers are told to stop at the same moment, and
 * need the database for it. So the server waits a while for them. A server that was left there, as this process was
 * killed too, is stopped before the next one starts.
 * <p>
 * The binaries' packager switches off what keeps data through a crash of the machine. All of it is on here.
 */
final class PostgresqlProgram {
    static final String USER = "postgres";
    static final String READY = "ready ";

    private static final long CLIENTS_LEAVE_SECONDS = 30;
    private static final long LEFT_OVER_SECONDS = 60;

    private PostgresqlProgram() {}

    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        Path data = directory.resolve("data");
        running(data).ifPresent(PostgresqlProgram::stop);
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setOverrideWorkingDirectory(directory.resolve("binaries").toFile())
                .setCleanDataDirectory(false)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "300")
                .start()) {
            System.out.println(READY + "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres");
            System.in.transferTo(OutputStream.nullOutputStream());
            running(data).ifPresent(PostgresqlProgram::stopBehindClients);
        }
    }

    /** Finds the server whose data that is, if it runs. Its file has its process id in the first line. */
    private static Optional<ProcessHandle> running(Path data) throws IOException {
        Path file = data.resolve("postmaster.pid");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        long process = Long.parseLong(Files.readAllLines(file).get(0).strip());
        return ProcessHandle.of(process)
                .filter(handle -> handle.info().command().orElse("").endsWith("postgres"));
    }

    /** Has a server take no more clients, and end when the last one has left: SIGTERM means that to it. */
    private static void stopBehindClients(ProcessHandle server) {
        server.destroy();
        awaitEnd(server, CLIENTS_LEAVE_SECONDS);
    }

    /** Lets one that is stopping end by itself. */
    private static void stop(ProcessHandle server) {
        server.destroy();
        if (!awaitEnd(server, LEFT_OVER_SECONDS)) {
            server.destroyForcibly();
            awaitEnd(server, LEFT_OVER_SECONDS);
        }
    }

    private static boolean awaitEnd(ProcessHandle server, long seconds) {
        CompletableFuture<Boolean> ended = server.onExit().thenApply(handle -> true);
        return ended.completeOnTimeout(false, seconds, TimeUnit.SECONDS).join();
    }
}
