package io.ringtable.walkthrough;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A shell that commands are typed into, as a reader of a page types them: what one sets or changes holds for the next.
 * <p>
 * Thread: the test's. Failure: the message has the command and everything that it printed.
 */
final class Terminal implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(50); // each reads and compares all that was printed
    private static final Pattern END = Pattern.compile("(?s)(.*?)<end (\\d+)>\n");
    private static final int INTERRUPTED = 130;
    private static final int TERMINATED = 143;

    private final Path output;
    private final Process shell;
    private final Writer keyboard;
    private int seen; // characters of the output that belong to earlier commands
    private String running; // null between commands
    private List<String> awaited = List.of(); // what the running command has printed so far

    Terminal(Path output, Path directory, Map<String, String> environment) {
        this.output = output;
        try {
            ProcessBuilder builder = new ProcessBuilder("bash", "--norc")
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            shell = builder.start();
            keyboard = shell.outputWriter(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a command to its end; fails unless it succeeds and prints exactly this. */
    void run(String command, List<String> expected) {
        type(command);
        awaitEnd(expected);
    }

    /** Types a command, and returns once it has printed this; it may go on, and print more. */
    void begin(String command, List<String> expected) {
        type(command);
        awaitPrinted(expected);
    }

    /** Until the running command has printed this as well, behind what was awaited before. */
    void awaitMore(List<String> expected) {
        List<String> all = new ArrayList<>(awaited);
        all.addAll(expected);
        awaitPrinted(all);
    }

    private void awaitPrinted(List<String> expected) {
        awaited = expected;
        Pattern wanted = pattern(expected);
        await(running)
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .untilAsserted(() -> assertThat(wanted.matcher(printed()).lookingAt())
                        .as("'%s' was to print%n%s%nand printed%n%s", running, lines(expected), printed())
                        .isTrue());
    }

    /** Until the running command has ended well, and printed exactly this from its beginning. */
    void awaitEnd(List<String> expected) {
        Matcher end = awaitItsEnd();
        assertThat(pattern(expected).matcher(end.group(1)).matches())
                .as("'%s' was to print%n%s%nand printed%n%s", running, lines(expected), end.group(1))
                .isTrue();
        assertThat(Integer.parseInt(end.group(2)))
                .as("exit code of '%s', which printed%n%s", running, end.group(1))
                .isZero();
        running = null;
    }

    /** Interrupts the running command, and waits until it has ended. */
    void interrupt() {
        // A shell whose parent ignores interrupts cannot hand them on; the broker takes both signals for the same.
        shell.descendants().forEach(ProcessHandle::destroy);
        int code = Integer.parseInt(awaitItsEnd().group(2));
        assertThat(code).as("exit code of '%s' after an interrupt", running).isIn(0, INTERRUPTED, TERMINATED);
        running = null;
    }

    private Matcher awaitItsEnd() {
        await("end of " + running)
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .untilAsserted(() -> assertThat(END.matcher(printed()).lookingAt())
                        .as("'%s' has not ended, and printed%n%s", running, printed())
                        .isTrue());
        Matcher end = END.matcher(printed());
        end.lookingAt();
        seen += end.end();
        return end;
    }

    private void type(String command) {
        assertThat(running)
                .as("command that still runs where '%s' is typed", command)
                .isNull();
        running = command;
        try {
            keyboard.write("{ " + command + "\n} </dev/null; printf '<end %d>\\n' $?\n");
            keyboard.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the shell has ended: " + printed(), e);
        }
    }

    private String printed() {
        try {
            return Files.readString(output).substring(seen);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Any text for an ellipsis, any lines for one that stands alone. */
    private static Pattern pattern(List<String> expected) {
        return Pattern.compile(expected.stream()
                .map(line -> line.equals("…") ? "(?:.*\n)*?" : literal(line) + "\n")
                .collect(Collectors.joining()));
    }

    private static String literal(String line) {
        return List.of(line.split("…", -1)).stream().map(Pattern::quote).collect(Collectors.joining(".*"));
    }

    private static String lines(List<String> expected) {
        return String.join("\n", expected);
    }

    @Override
    public void close() {
        List<ProcessHandle> all = shell.descendants().toList();
        all.forEach(ProcessHandle::destroyForcibly);
        shell.destroyForcibly();
        // Nobody writes to the test's directory any more when it is removed.
        all.forEach(process -> process.onExit().join());
    }
}
