package io.ringtable.cli.process;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a PostgreSQL server for a trial in a child process, which ends when this one does: its standard input ends then.
 * <p>
 * Thread: the command's, and one that reads what the server's process says. Failure: a {@link CommandFailed} that names
 * the log.
 */
public final class TrialDatabase implements AutoCloseable {
    private static final int STOP_MAX_SECONDS = 60;

    private final Process process;
    private final Path log;

    private TrialDatabase(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts the server and waits for nothing.
     *
     * @param directory keeps the data and the log
     * @throws CommandFailed if this installation has no PostgreSQL
     */
    public static TrialDatabase launch(Path directory) throws IOException {
        Path log = directory.resolve("postgresql.log");
        List<String> command = Installation.find().postgresqlCommand(directory);
        return new TrialDatabase(
                new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    }

    /** Waits until the server answers. @return the JDBC URL of its database @throws CommandFailed if it has ended */
    public String awaitReady() throws IOException {
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(PostgresqlProgram.READY)) {
                drain(lines);
                return line.substring(PostgresqlProgram.READY.length());
            }
        }
        throw new CommandFailed(
                ExitCode.FAILED,
                "RT-6053",
                "the PostgreSQL server of the trial did not start (its log: " + log
                        + "): name a server of yours with --url");
    }

    /** Reads on: a full pipe would hold the server up. */
    private static void drain(BufferedReader lines) {
        Thread reader = new Thread(() -> lines.lines().forEach(line -> {}), "postgresql-output");
        reader.setDaemon(true);
        reader.start();
    }

    /** Returns the name under which a broker logs in; it needs no password. */
    public String user() {
        return PostgresqlProgram.USER;
    }

    /** Stops the server, and waits until it has stopped. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(STOP_MAX_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
