package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.report.CpuTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A broker in a process of its own, on free ports of loopback. With {@code bench.jfr} its flight
 * recording is written to that file. Thread: main.
 */
final class BrokerProcess implements AutoCloseable {
    private static final long START_NANOS_MAX = TimeUnit.SECONDS.toNanos(180); // of a machine that has better to do
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Broker broker;
    private final Process process;
    private final int port;
    private final int httpPort;
    private final long startedAt;

    private BrokerProcess(Broker broker, Process process, int port, int httpPort, long startedAt) {
        this.broker = broker;
        this.process = process;
        this.port = port;
        this.httpPort = httpPort;
        this.startedAt = startedAt;
    }

    /** Returns at once; see {@link #awaitListening}. */
    static BrokerProcess start(Broker broker, Path dataDir, List<String> jvmOptions, List<String> arguments) {
        try {
            int port = freePort();
            int httpPort = freePort();
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(jvmOptions);
            if (System.getProperty("bench.jfr") != null) {
                command.add("-XX:StartFlightRecording=settings=profile,dumponexit=true,filename="
                        + System.getProperty("bench.jfr"));
            }
            command.addAll(broker.program(dataDir, port, httpPort));
            command.addAll(arguments);
            Files.createDirectories(dataDir);
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            dataDir.resolveSibling("broker.log").toFile()));
            long startedAt = System.nanoTime();
            return new BrokerProcess(broker, builder.start(), port, httpPort, startedAt);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    int port() {
        return port;
    }

    /** {@link System#nanoTime} when its process was started. */
    long startedAt() {
        return startedAt;
    }

    /** Waits until it takes AMQP connections. */
    BrokerProcess awaitListening() {
        while (!listens()) {
            if (!process.isAlive() || System.nanoTime() - startedAt > START_NANOS_MAX) {
                process.destroyForcibly();
                throw new IllegalStateException("the broker does not listen; its log says why");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return this;
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    double cpuSeconds() {
        return CpuTime.seconds(process.toHandle());
    }

    /** Its metrics without tags, by Prometheus' names; empty if it has none or cannot be asked. */
    Map<String, Double> metrics() {
        if (!broker.isOurs()) {
            return Map.of();
        }
        Map<String, Double> metrics = new HashMap<>();
        try {
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + "/actuator/prometheus"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            answer.body()
                    .lines()
                    .filter(line -> line.startsWith("ringtable_") && line.indexOf('{') < 0)
                    .forEach(line -> {
                        String[] parts = line.split(" ");
                        metrics.put(parts[0], Double.valueOf(parts[1]));
                    });
        } catch (IOException e) {
            return Map.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return metrics;
    }

    /** As a power cut would end the process, apart from the page cache. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** As an operator would; waits for its last flush. */
    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
