package io.ringtable.cli.process;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs a broker as a child process, and finds its addresses in the output of its start. It ends when this process does.
 * <p>
 * Thread: the caller's, and one that reads the broker's output until it ends. Failure: a broker that does not become
 * active in time is stopped; the {@link CommandFailed} quotes its last error line.
 */
public final class BrokerProcess implements AutoCloseable {
    private static final Duration STOP_MAX = Duration.ofSeconds(120);
    private static final Pattern ACTIVE = Pattern.compile("is active: (amqps?://\\S+?),? (https?://\\S+)");
    private static final Pattern WAITS = Pattern.compile("does not serve yet: .*; (https?://\\S+)");
    private static final Pattern SERVES = Pattern.compile("ACTIVE: serving AMQP on (\\S+?),");

    /**
     * Has a shell start the program and become its process. A child of the shell reads standard input, which ends when
     * the parent does, even by SIGKILL. Then this child tells the program to stop.
     */
    private static final String TIED =
            "exec 3<&0 </dev/null; (cat; kill $$) <&3 >/dev/null 2>&1 3<&- & exec \"$@\" 3<&-";

    /** Says where the broker is reached. */
    private record Place(String amqp, String http) {}

    private final Process process;
    private final Path log;
    private final CompletableFuture<Place> active = new CompletableFuture<>();
    private String waitingAt; // the HTTP address of one that has to wait for a shard; the reader's
    private volatile String lastError = "";

    private BrokerProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts a broker from {@link Installation#brokerCommand} in this process's directory and environment. */
    public static BrokerProcess start(List<String> command, Path log, Duration timeout) {
        return start(new ProcessBuilder(command), log, timeout);
    }

    /**
     * Starts a broker and waits until it serves.
     *
     * @param builder has its command, directory and environment
     * @param log the file that takes the broker's output
     * @param timeout the longest wait
     */
    public static BrokerProcess start(ProcessBuilder builder, Path log, Duration timeout) {
        BrokerProcess broker = launch(builder, log);
        broker.awaitServing(timeout);
        return broker;
    }

    /** Starts a broker and waits for nothing. @param log the file that takes the broker's output */
    public static BrokerProcess launch(ProcessBuilder builder, Path log) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", TIED, "sh"));
        command.addAll(builder.command());
        BrokerProcess broker;
        try {
            broker = new BrokerProcess(
                    builder.command(command).redirectErrorStream(true).start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread reader = new Thread(broker::read, "broker-output");
        reader.setDaemon(true);
        reader.start();
        broker.process.onExit().thenAccept(BrokerProcess::untie);
        Runtime.getRuntime().addShutdownHook(new Thread(broker.process::destroy, "stop-broker"));
        return broker;
    }

    /** Ends what waits for the end of this process. */
    private static void untie(Process ended) {
        try {
            ended.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
                var copy = Files.newBufferedWriter(log)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                copy.write(line);
                copy.newLine();
                copy.flush();
                if (!isServing(line) && (line.contains("ERROR") || lastError.isEmpty())) {
                    lastError = line;
                }
            }
            active.completeExceptionally(new IOException("the broker ended"));
        } catch (IOException e) {
            active.completeExceptionally(e);
        }
    }

    /** Looks for the line that says where the broker serves, at once or after it had to wait for a shard. */
    private boolean isServing(String line) {
        Matcher matcher = ACTIVE.matcher(line);
        if (matcher.find()) {
            return active.complete(new Place(matcher.group(1), matcher.group(2)));
        }
        if (matcher.usePattern(WAITS).reset().find()) {
            waitingAt = matcher.group(1);
        } else if (waitingAt != null && matcher.usePattern(SERVES).reset().find()) {
            return active.complete(new Place("amqp://" + matcher.group(1), waitingAt));
        }
        return false;
    }

    /** Waits until the broker serves. @throws CommandFailed if it does not in time; it is stopped then */
    public void awaitServing(Duration timeout) {
        try {
            active.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            close();
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6009",
                    "the broker "
                            + (e instanceof TimeoutException
                                    ? "does not serve yet after " + timeout.toSeconds() + " s"
                                    : "did not start")
                            + " (its log: " + log + "): " + lastError);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new CommandFailed(ExitCode.FAILED, "RT-6009", "interrupted while the broker started");
        }
    }

    /** Returns where the broker serves AMQP. */
    public String amqpUrl() {
        return active.join().amqp();
    }

    /** Returns where the broker serves health, metrics and status. */
    public URI httpUrl() {
        return URI.create(active.join().http());
    }

    public long pid() {
        return process.pid();
    }

    /** Returns what completes with the exit code when the process has ended, for whatever reason. */
    public CompletableFuture<Integer> ended() {
        return process.onExit().thenApply(Process::exitValue);
    }

    /** Stops the broker in order, or by force if that takes too long. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
