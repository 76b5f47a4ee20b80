package io.ringtable.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.JMSContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Uses the distribution as its README says: unpacks it, writes the archive of classes, and calls the script by a link
 * from elsewhere. The broker has its configuration and its data in directories of their own; the installation is
 * read-only meanwhile.
 */
class DistributionTest {
    private static final Pattern ACTIVE = Pattern.compile("is active: (amqp://[^\\s,]+), (http://\\S+)");
    private static final int SIGTERM = 128 + 15;

    @TempDir
    static Path directory;

    private static Path home;
    private static Path script;

    @BeforeAll
    static void install() throws Exception {
        home = Archives.untar(Files.createDirectory(directory.resolve("opt")));
        Path current = Files.createSymbolicLink(directory.resolve("opt/ringtable"), home.getFileName());
        script = Files.createSymbolicLink(directory.resolve("command"), current.resolve("bin/ringtable"));
        Map<String, String> users = Map.of("RINGTABLE_STORE_URL", "jdbc:postgresql://nowhere/of-the-user");
        assertThat(ringtable(users, "", "archive").succeeded())
                .contains("archive/classes-")
                .contains(" for Java " + System.getProperty("java.version") + " at ");
        setWritable(false);
    }

    @AfterAll
    static void letItBeDeleted() throws Exception {
        setWritable(true);
    }

    @Test
    void aBrokerServesFromAReadOnlyInstallationAndStopsInOrder() throws Exception {
        Map<String, String> before = Archives.listing(home);
        Path conf = Files.createDirectory(directory.resolve("conf"));
        Files.writeString(conf.resolve("application.yaml"), """
                ringtable.amqp.port: 0
                server.port: 0
                ringtable.amqp.container-id: from-the-file
                """);
        Path log = directory.resolve("broker.log");
        Path data = directory.resolve("data");
        Process broker = broker(Map.of("RINGTABLE_CONF", conf.toString(), "RINGTABLE_DATA_DIR", data.toString()), log);
        try {
            Matcher active = awaitActive(broker, log);
            String url = active.group(1);
            Map<String, String> there = Map.of("RINGTABLE_CLI_URL", url, "RINGTABLE_CLI_HTTP", active.group(2));

            ringtable(there, "one\ntwo\n", "publish", "queue://orders").succeeded();
            String printed = ringtable(there, "", "subscribe", "queue://orders", "--count", "2", "--wait", "20")
                    .succeeded();
            assertThat(printed).isEqualTo("one\ntwo\n");
            Path backup = directory.resolve("backup.db");
            assertThat(ringtable(Map.of("RINGTABLE_DATA_DIR", data.toString()), "", "backup", backup.toString())
                            .succeeded())
                    .startsWith(backup + ": ");

            try (JMSContext context = new JmsConnectionFactory(url).createContext()) {
                context.createProducer().send(context.createQueue("letters"), "three");
                assertThat(context.createConsumer(context.createQueue("letters"))
                                .receiveBody(String.class, 60_000))
                        .isEqualTo("three");
            }
        } finally {
            broker.destroy(); // SIGTERM
        }

        assertThat(broker.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(broker.exitValue()).isEqualTo(SIGTERM);
        assertThat(Files.readString(log)).doesNotContain(" WARN ", " ERROR ", "No archive of classes");
        assertThat(data.resolve("ringtable.db")).isNotEmptyFile();
        assertThat(data.resolve("ringtable.db-wal"))
                .as("left by a store that was not closed")
                .doesNotExist();
        assertThat(Archives.listing(home)).isEqualTo(before);
    }

    @Test
    void aConfigurationThatIsNotThereStopsTheStart() throws Exception {
        Shell.Result result = ringtable(Map.of("RINGTABLE_CONF", "/nowhere"), "", "broker");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).startsWith("RT-6019 /nowhere/application.yaml cannot be read by ");
    }

    @Test
    void theBenchmarksAreNotInIt() throws Exception {
        Shell.Result result = ringtable(Map.of(), "", "bench");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).startsWith("RT-6015 ");
    }

    private static Shell.Result ringtable(Map<String, String> environment, String input, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = Stream.concat(Stream.of(script.toString()), Stream.of(arguments))
                .toList();
        return Shell.run(directory, environment, input, command);
    }

    private static Process broker(Map<String, String> environment, Path log) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(script.toString(), "broker")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static Matcher awaitActive(Process broker, Path log) {
        return await("the line that says that the broker is active")
                .atMost(120, TimeUnit.SECONDS)
                .pollInterval(25, TimeUnit.MILLISECONDS)
                .failFast(
                        "the broker has ended",
                        () -> assertThat(broker.isAlive())
                                .as(() -> "the broker has ended\n" + text(log))
                                .isTrue())
                .until(() -> ACTIVE.matcher(text(log)), Matcher::find);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void setWritable(boolean writable) throws Exception {
        Shell.run(directory, "chmod", "-R", writable ? "u+w" : "a-w", home.toString())
                .succeeded();
    }
}
