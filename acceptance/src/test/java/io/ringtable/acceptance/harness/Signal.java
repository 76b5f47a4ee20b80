package io.ringtable.acceptance.harness;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * A signal to processes of this machine. One that has ended meanwhile is passed over.
 * <p>
 * After {@link #STOP} the processes stand still, where {@code /proc} tells. The signal alone stops the other threads of
 * a process only once one of them gets its turn. That takes long on a busy machine.
 */
public enum Signal {
    STOP,
    CONT,
    KILL,
    TERM,
    INT;

    private static final Duration STOP_MAX = Duration.ofSeconds(60);
    private static final String STOPPED_OR_ENDED = "TtZX";

    public void to(long process) {
        to(List.of(process));
    }

    public void to(Collection<Long> processes) {
        if (processes.isEmpty()) {
            return;
        }
        List<String> command = new ArrayList<>(List.of("kill", "-" + name()));
        processes.forEach(process -> command.add(Long.toString(process)));
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (this == STOP) {
            for (long process : processes) {
                await().atMost(STOP_MAX).until(() -> standsStill(process));
            }
        }
    }

    private static boolean standsStill(long process) {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process + "/task"))) {
            return threads.allMatch(Signal::isStopped);
        } catch (IOException e) {
            return true; // the process has ended, or the system has no such files
        }
    }

    private static boolean isStopped(Path thread) {
        try {
            String status = Files.readString(thread.resolve("stat"));
            char state = status.charAt(status.lastIndexOf(')') + 2); // the name before may hold anything
            return STOPPED_OR_ENDED.indexOf(state) >= 0;
        } catch (IOException e) {
            return true; // the thread has ended
        }
    }
}
