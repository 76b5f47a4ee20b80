package io.ringtable.acceptance.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A Java program in a process of its own: started, killed and started again. Thread: the test's. */
public final class JavaProcess implements AutoCloseable {
    private static final long EXIT_MAX_SECONDS = 60;

    private final List<String> command = new ArrayList<>();
    private final Path log;
    private Process process;
    private int starts;

    /** @param arguments from the options of the JVM on */
    public JavaProcess(Path log, List<String> arguments) {
        this.log = log;
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
    }

    public JavaProcess start() {
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            process.getOutputStream().close();
            starts++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** SIGKILL; returns when the process is gone. */
    public void kill() {
        Signal.KILL.to(process.pid());
        process.onExit().join();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /** Returns the exit code when the process has ended by itself. */
    public int awaitExit() {
        process.onExit().orTimeout(EXIT_MAX_SECONDS, TimeUnit.SECONDS).join();
        return process.exitValue();
    }

    /** Returns the exit code of a process that has ended. */
    public int exitCode() {
        return process.exitValue();
    }

    public int starts() {
        return starts;
    }

    /** Returns everything that it has printed, in all its starts. */
    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }
}
