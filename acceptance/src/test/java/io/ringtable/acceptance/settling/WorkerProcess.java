package io.ringtable.acceptance.settling;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** A worker that is started again whenever it has died. Thread: the test's. */
final class WorkerProcess implements AutoCloseable {
    private final List<String> command;
    private final Path log;
    private Process process;
    private int starts;

    WorkerProcess(Path log, String... args) {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        this.log = log;
        this.command = new java.util.ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                Worker.class.getName()));
        command.addAll(List.of(args));
    }

    void startIfDead() {
        if (process != null && process.isAlive()) {
            return;
        }
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            starts++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code kill -9}. */
    void kill() {
        process.destroyForcibly();
    }

    int starts() {
        return starts;
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }
}
