package io.ringtable.cli.process;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Runs a PostgreSQL server until standard input ends, in a process of its own: {@code PostgresqlProgram DIRECTORY}.
 * Prints {@code ready URL} when the server answers. The data is in the directory, stays there, and is found again.
 * <p>
 * The binaries' packager switches off what keeps data through a crash of the machine. All of it is on here.
 */
final class PostgresqlProgram {
    static final String USER = "postgres";
    static final String READY = "ready ";

    private PostgresqlProgram() {}

    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("data"))
                .setOverrideWorkingDirectory(directory.resolve("binaries").toFile())
                .setCleanDataDirectory(false)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "300")
                .start()) {
            System.out.println(READY + "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres");
            System.in.transferTo(java.io.OutputStream.nullOutputStream());
        }
    }
}
