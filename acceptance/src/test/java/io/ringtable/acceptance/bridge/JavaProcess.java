package io.ringtable.acceptance.bridge;

import io.ringtable.acceptance.harness.Signal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Java program in a process of its own: started, killed and started again. Thread: the test's. */
final class JavaProcess implements AutoCloseable {
    private final List<String> command = new ArrayList<>();
    private final Path log;
    private Process process;
    private int starts;

    /** @param arguments from the options of the JVM on */
    JavaProcess(Path log, List<String> arguments) {
        this.log = log;
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
    }

    JavaProcess start() {
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
    void kill() {
        Signal.KILL.to(process.pid());
        process.onExit().join();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the exit code of a process that has ended. */
    int exitCode() {
        return process.exitValue();
    }

    int starts() {
        return starts;
    }

    /** Returns everything that it has printed, in all its starts. */
    String log() {
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
