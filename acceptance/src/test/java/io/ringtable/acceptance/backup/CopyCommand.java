package io.ringtable.acceptance.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.JavaProcess;
import io.ringtable.acceptance.harness.Signal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code bin/ringtable backup} or {@code restore} as a process, with the one below it that copies.
 * <p>
 * Thread: the test's.
 */
final class CopyCommand implements AutoCloseable {
    private static final Path ROOT =
            Path.of(System.getProperty("ringtable.root", "..")).toAbsolutePath();

    private final JavaProcess process;

    private CopyCommand(Path log, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dringtable.home=" + ROOT,
                "-jar",
                ROOT.resolve("cli/target/lib/ringtable-cli.jar").toString()));
        command.addAll(List.of(arguments));
        process = new JavaProcess(log, command);
    }

    static CopyCommand backup(Path data, Path target) {
        return new CopyCommand(log(target), "backup", "--data-dir", data.toString(), target.toString());
    }

    static CopyCommand restore(Path backup, Path data) {
        return new CopyCommand(log(backup), "restore", "--data-dir", data.toString(), backup.toString());
    }

    private static Path log(Path file) {
        return file.resolveSibling(file.getFileName() + ".log");
    }

    static Path part(Path target) {
        return target.resolveSibling(target.getFileName() + ".part");
    }

    CopyCommand start() {
        process.start();
        return this;
    }

    /**
     * Starts it, and has it stand still where its file is not complete.
     *
     * @return false if it was done before that
     */
    boolean startAndHold(Path target) {
        process.start();
        await("the begin of a copy")
                .pollInterval(Duration.ofMillis(1))
                .until(() -> Files.exists(part(target)) || !process.isAlive());
        copiers().forEach(Signal.STOP::to);
        return Files.exists(part(target)) && process.isAlive();
    }

    /** Lets it go on. */
    void goOn() {
        copiers().forEach(Signal.CONT::to);
    }

    /** SIGKILL for the process that copies. */
    void killCopier() {
        copiers().forEach(Signal.KILL::to);
    }

    /** SIGKILL for the command, while the process that copies stands still; that goes on then. */
    void killAlone() {
        List<Long> copiers = copiers();
        process.kill();
        copiers.forEach(Signal.CONT::to);
    }

    private List<Long> copiers() {
        return ProcessHandle.of(process.pid()).stream()
                .flatMap(ProcessHandle::descendants)
                .map(ProcessHandle::pid)
                .toList();
    }

    /** Returns what it has printed when it has ended with 0. */
    String succeeded() {
        return ended(0);
    }

    /** Returns what it has printed when it has ended with 1. */
    String failed() {
        return ended(1);
    }

    private String ended(int exitCode) {
        assertThat(process.awaitExit()).as(process::log).isEqualTo(exitCode);
        return process.log();
    }

    @Override
    public void close() {
        process.close();
    }
}
