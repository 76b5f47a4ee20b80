package io.ringtable.examples.bookshop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the application's jar and the broker as two processes, as the README says. The broker is the unpacked one with
 * the archive of its classes, which {@code bin/ringtable broker} takes too.
 */
@Timeout(240)
class BookshopTest {
    private static final Path ROOT =
            Path.of(System.getProperty("ringtable.root", "..")).toAbsolutePath();
    private static final Path BROKER = ROOT.resolve("broker/target/ringtable-broker");
    private static final Path BOOKSHOP = ROOT.resolve("examples/target/ringtable-examples.jar");
    private static final Pattern ACTIVE = Pattern.compile("is active: (amqp://[^ ,]+)");
    private static final Pattern PRINTED = Pattern.compile("```text\\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path directory;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly();
            process.waitFor(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void printsWhatTheReadmeSaysAndFindsTheSameShopTheNextTime() throws Exception {
        assertThat(List.of(BOOKSHOP, BROKER))
                .as("what ./mvnw -DskipTests package builds")
                .allMatch(Files::exists);
        String url = startBroker();
        for (int run = 1; run <= 2; run++) {
            Path printed = directory.resolve("bookshop-" + run + ".log");
            Process bookshop = start(printed, "-jar", BOOKSHOP.toString(), "--ringtable.client.uris=" + url);
            assertThat(bookshop.waitFor(90, TimeUnit.SECONDS))
                    .as("it ends by itself: %s", Files.readString(printed))
                    .isTrue();
            assertThat(Files.readAllLines(printed)).containsExactlyInAnyOrderElementsOf(readme());
            assertThat(bookshop.exitValue()).isZero();
        }
    }

    /** Returns the lines in the README; several threads print them, in any order. */
    private static List<String> readme() throws IOException {
        Matcher block = PRINTED.matcher(Files.readString(ROOT.resolve("examples/README.md")));
        assertThat(block.find()).isTrue();
        return block.group(1).lines().toList();
    }

    private String startBroker() throws IOException {
        Path log = directory.resolve("broker.log");
        Process broker = start(
                log,
                "@" + BROKER.resolve("java-" + Runtime.version().feature() + ".options"),
                "-jar",
                BROKER.resolve("ringtable-broker.jar").toString(),
                "--ringtable.amqp.port=0",
                "--server.port=0",
                "--ringtable.ring.capacity=16384", // a quarter of the default: a new broker writes all slots
                "--ringtable.data-dir=" + directory.resolve("data"));
        await("an active broker")
                .atMost(Duration.ofSeconds(90))
                .until(() -> !broker.isAlive()
                        || ACTIVE.matcher(Files.readString(log)).find());
        Matcher active = ACTIVE.matcher(Files.readString(log));
        assertThat(active.find()).as(Files.readString(log)).isTrue();
        return active.group(1);
    }

    /** Starts a JVM that is small and quick to start. @param arguments begin with its options */
    private Process start(Path output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        processes.add(process);
        return process;
    }
}
