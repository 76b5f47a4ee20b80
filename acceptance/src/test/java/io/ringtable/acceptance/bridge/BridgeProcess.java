package io.ringtable.acceptance.bridge;

import io.ringtable.acceptance.harness.JavaProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** {@code bin/ringtable bridge} as a process, which is started again until it is done. Thread: the test's. */
final class BridgeProcess implements AutoCloseable {
    private static final Path JAR =
            Path.of(System.getProperty("ringtable.root", "..")).resolve("cli/target/lib/ringtable-cli.jar");
    private static final int DONE = 0;
    private static final int KILLED = 128 + 9;

    /** No broker answers, as one has just been killed. */
    private static final int NO_BROKER = 3;

    private final JavaProcess process;

    BridgeProcess(Path log, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-jar", JAR.toString(), "bridge"));
        command.addAll(List.of(arguments));
        process = new JavaProcess(log, command);
    }

    BridgeProcess start() {
        process.start();
        return this;
    }

    /**
     * Starts it again if it has ended before its work is done: killed, without a broker, or since no message came in
     * time.
     *
     * @param isAllMoved whether no message is left to be moved
     * @return whether it is done
     */
    boolean isDone(BooleanSupplier isAllMoved) {
        if (process.isAlive()) {
            return false;
        }
        if (process.exitCode() == DONE && isAllMoved.getAsBoolean()) {
            return true;
        }
        if (process.exitCode() != DONE && process.exitCode() != KILLED && process.exitCode() != NO_BROKER) {
            throw new AssertionError("the bridge ended with " + process.exitCode() + ":\n" + process.log());
        }
        process.start();
        return false;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void kill() {
        process.kill();
    }

    int starts() {
        return process.starts();
    }

    String log() {
        return process.log();
    }

    @Override
    public void close() {
        process.close();
    }
}
