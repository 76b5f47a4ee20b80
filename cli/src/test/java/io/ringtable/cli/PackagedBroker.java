package io.ringtable.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ringtable.cli.process.BrokerProcess;
import io.ringtable.cli.process.Installation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Starts the packaged broker for tests, each in a process of its own, and skips tests whose jar is not built. */
final class PackagedBroker {
    private static final Path HOME =
            Path.of(System.getProperty("ringtable.root", "..")).toAbsolutePath();
    /** A quarter of the default: a new broker writes all slots. */
    static final int RING_CAPACITY = 16_384;

    private static final Duration START_MAX = Duration.ofSeconds(120);

    private PackagedBroker() {}

    /**
     * Starts a broker on free ports. {@link #stop} must follow, also if the start fails.
     *
     * @param directory holds its data and its log
     * @param properties such as {@code --ringtable.commit.quota-messages=1}
     */
    static BrokerProcess start(Path directory, String... properties) {
        Path jar = HOME.resolve("broker/target/ringtable-broker.jar");
        assumeTrue(Files.isRegularFile(jar), "no " + jar + ": run ./mvnw verify, which builds it first");
        System.setProperty(Installation.HOME_PROPERTY, HOME.toString());
        List<String> all = new ArrayList<>(List.of(
                "--ringtable.amqp.port=0",
                "--server.port=0",
                "--ringtable.data-dir=" + directory.resolve("data"),
                "--ringtable.ring.capacity=" + RING_CAPACITY));
        all.addAll(List.of(properties));
        return BrokerProcess.start(Installation.find().brokerCommand(all), directory.resolve("broker.log"), START_MAX);
    }

    /** @param broker null if none has started */
    static void stop(BrokerProcess broker) {
        System.clearProperty(Installation.HOME_PROPERTY);
        if (broker != null) {
            broker.close();
        }
    }
}
