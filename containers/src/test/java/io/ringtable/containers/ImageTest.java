package io.ringtable.containers;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The image as its tar has it: unpacked, and its entry point started in namespaces, as the image's user, with a
 * read-only root. Needs root, {@code unshare}, and a machine that runs the image's programs, if need be in an emulator.
 * Skipped where these are missing, unless {@code tools.required} names unshare.
 */
class ImageTest {
    private static final String USER = "shop";
    private static final String PASSWORD = "a password of the test";
    private static final long WAIT_MS = 60_000;
    private static final int TERMINATED = 143; // 128 + SIGTERM, which the JVM answers after its hooks

    /** Java finds its libraries by way of {@code /proc}. */
    private static final String RUN = """
            root=$1
            shift
            mkdir -p "$root/proc" && mount -t proc proc "$root/proc" && exec chroot "$root" "$@"
            """;

    private static Image image;
    private static Container container;

    @BeforeAll
    static void startContainer() throws IOException {
        Path directory = Path.of("target", "image").toAbsolutePath();
        Image.run("rm", "-rf", directory.toString());
        image = Image.unpack(Path.of(System.getProperty("image.tar")), directory);
        needsNamespacesAndItsArchitecture();
        container = new Container(
                image,
                directory,
                Map.of(
                        "RINGTABLE_SECURITY_USERS_0_NAME",
                        USER,
                        "RINGTABLE_SECURITY_USERS_0_PASSWORD",
                        "{noop}" + PASSWORD,
                        "JAVA_TOOL_OPTIONS",
                        "-XX:TieredStopAtLevel=1"));
        container.start();
    }

    @AfterAll
    static void endContainer() {
        if (container != null) {
            container.close();
        }
    }

    private static void needsNamespacesAndItsArchitecture() throws IOException {
        needs(
                "no namespaces without root",
                List.of("unshare", "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "x", "/mnt"));
        List<String> javaVersion = new ArrayList<>(List.of("unshare", "--mount", "--pid", "--fork", "sh", "-c", RUN));
        javaVersion.addAll(
                List.of("probe", image.root().toString(), image.entrypoint().get(0), "-version"));
        needs(
                "this machine runs no programs for " + image.architecture() + " (containers/arm64.sh emulates them)",
                javaVersion);
    }

    private static void needs(String otherwise, List<String> probe) throws IOException {
        Process process = new ProcessBuilder(probe).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes()).strip();
        try {
            if (process.waitFor() == 0) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        String missing = "the image cannot be started here: " + otherwise + ": " + output;
        if (List.of(System.getProperty("tools.required", "").split("\\s*,\\s*")).contains("unshare")) {
            Assertions.fail(missing + ", and tools.required names unshare");
        }
        System.err.println("SKIPPED the start of the image: " + missing);
        Assumptions.abort(missing);
    }

    @Test
    void theImageSaysHowItIsRun() {
        assertThat(image.user()).isEqualTo("10001:10001");
        assertThat(image.entrypoint())
                .startsWith("/opt/java/openjdk/bin/java")
                .contains("-XX:MaxRAMPercentage=50")
                .endsWith("-jar", "/opt/ringtable/ringtable-broker.jar");
        assertThat(image.configuration().at("/config/ExposedPorts").propertyNames())
                .containsExactlyInAnyOrder("5672/tcp", "8161/tcp");
        assertThat(image.configuration().at("/config/Volumes").propertyNames()).containsExactly("/var/lib/ringtable");
    }

    @Test
    void theBrokerHasNoRightsAndWritesNowhereElse() throws IOException {
        Path process = Path.of("/proc", Long.toString(container.pid()));
        assertThat(Files.readAllLines(process.resolve("status")))
                .contains("Uid:\t10001\t10001\t10001\t10001", "Gid:\t10001\t10001\t10001\t10001")
                .contains("CapEff:\t0000000000000000", "NoNewPrivs:\t1", "NSpid:\t" + container.pid() + "\t1");
        List<String> mounts = Files.readAllLines(process.resolve("mountinfo"));
        assertThat(mounts)
                .filteredOn(mount -> mount.split(" ")[4].equals("/"))
                .isNotEmpty()
                .allSatisfy(mount -> assertThat(mount.split(" ")[5]).startsWith("ro"));
        assertThat(mounts)
                .filteredOn(mount -> mount.split(" ")[4].equals("/tmp"))
                .singleElement()
                .satisfies(mount -> assertThat(mount.split(" ")[5]).contains("noexec"));
    }

    @Test
    void theHealthCheckOfTheImageTellsALivingBroker() throws IOException {
        List<String> check = List.of(
                image.entrypoint().get(0), "-cp", "/opt/ringtable/classes", "io.ringtable.containers.HealthCheck");
        assertThat(container.execute(check)).startsWith("0: ").doesNotContain("answers");
        assertThat(container.execute(List.of(check.get(0), check.get(1), check.get(2), check.get(3), "/nowhere")))
                .startsWith("1: ")
                .contains("/nowhere answers 401"); // the broker has a user, and the check does not log in
    }

    @Test
    void aMessageOutlivesAnOrderlyStop() throws Exception {
        try (Connection connection = connect()) {
            Session session = connection.createSession();
            Queue orders = session.createQueue("orders");
            session.createProducer(orders).send(session.createTextMessage("one book"));
            session.createProducer(orders).send(session.createTextMessage("two pens"));
            assertThat(receive(session, orders)).isEqualTo("one book");
        }
        assertThat(container.stop()).isEqualTo(TERMINATED);
        assertThat(container.log()).contains("stopping: no longer ready", "STOPPED: stopped");

        container.start();
        try (Connection connection = connect()) {
            Session session = connection.createSession();
            assertThat(receive(session, session.createQueue("orders"))).isEqualTo("two pens");
        }
    }

    private static Connection connect() throws JMSException {
        Connection connection =
                new JmsConnectionFactory(USER, PASSWORD, "amqp://127.0.0.1:" + container.amqpPort).createConnection();
        connection.start();
        return connection;
    }

    private static String receive(Session session, Queue queue) throws JMSException {
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            Message message = consumer.receive(WAIT_MS);
            assertThat(message).as("a message of %s", queue).isNotNull();
            return message.getBody(String.class);
        }
    }
}
