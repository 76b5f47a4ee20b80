package io.ringtable.acceptance.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.JavaProcess;
import io.ringtable.broker.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** {@link ArtemisServer} as a process. Thread: the test's. */
final class Artemis implements AutoCloseable {
    private static final Duration START_MAX = Duration.ofSeconds(90);

    private final int port = Ports.free();
    private final JavaProcess process;

    Artemis(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        process = new JavaProcess(
                directory.resolve("artemis.log"),
                List.of(
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        ArtemisServer.class.getName(),
                        directory.toString(),
                        Integer.toString(port)));
    }

    Artemis start() {
        process.start();
        await("Artemis")
                .atMost(START_MAX)
                .untilAsserted(
                        () -> assertThat(listens()).as(() -> process.log()).isTrue());
        return this;
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    void kill() {
        process.kill();
    }

    String url() {
        return "amqp://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        process.close();
    }
}
