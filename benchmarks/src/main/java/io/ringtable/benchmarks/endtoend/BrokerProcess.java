package io.ringtable.benchmarks.endtoend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs a broker in a process of its own, on free ports of loopback. {@code bench.jfr} names the file that takes its
 * flight recording. Thread: main.
 */
final class BrokerProcess implements AutoCloseable {
    private static final long START_NANOS_MAX = TimeUnit.SECONDS.toNanos(180); // on a busy machine
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int FIRST_PORT = 10_000;
    private static final int AFTER_LAST_PORT = 20_000;
    private static final Pattern OF_SHARD = Pattern.compile("\\{shard=\"\\d+\"} ");
    private static final Pattern DURABILITY = Pattern.compile("\"engine\":\"([^\"]*)\",\"durability\":\"([^\"]*)\"");

    private final HttpClient http = HttpClient.newHttpClient();
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

    /** Starts the process and returns immediately; see {@link #awaitListening}. */
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

    /**
     * Returns a port below those that the system gives to outgoing connections: one of these may take it before the
     * broker does.
     */
    private static int freePort() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, AFTER_LAST_PORT);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException taken) {
                // another one, then
            }
        }
    }

    int port() {
        return port;
    }

    /** Returns {@link System#nanoTime} of the moment when the process started. */
    long startedAt() {
        return startedAt;
    }

    /** Waits until the broker accepts AMQP connections. */
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

    ProcessMeter meter() {
        return ProcessMeter.of(process.toHandle());
    }

    /** Waits until the broker says how durable an accepted message is; refuses less than full durability. */
    String durability() {
        if (!broker.isOurs()) {
            return "as this program sets it (ArtemisServer): persistent, journal-datasync=true";
        }
        Matcher said = DURABILITY.matcher("");
        while (!said.reset(get("/status")).find()) {
            if (!process.isAlive() || System.nanoTime() - startedAt > START_NANOS_MAX) {
                throw new IllegalStateException("the broker does not say how durable it is; its log may say why");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        if (!said.group(2).startsWith("full")) {
            throw new IllegalStateException(
                    "durability " + said.group(2) + ", and these measurements are of durable messages");
        }
        return said.group(1) + ", durability " + said.group(2);
    }

    /**
     * Returns the metrics without tags, by Prometheus' names, and the sums of those that each shard has. The map is
     * empty if the broker has none or does not answer.
     */
    Map<String, Double> metrics() {
        Map<String, Double> metrics = new HashMap<>();
        if (broker.isOurs()) {
            get("/actuator/prometheus")
                    .lines()
                    .filter(line -> line.startsWith("ringtable_") || line.startsWith("jvm_gc_memory"))
                    .map(OF_SHARD::matcher)
                    .map(line -> line.replaceFirst(" "))
                    .filter(line -> line.indexOf('{') < 0)
                    .forEach(line -> {
                        String[] parts = line.split(" ");
                        metrics.merge(parts[0], Double.valueOf(parts[1]), Double::sum);
                    });
        }
        return metrics;
    }

    /** Returns the answer; empty without one. */
    private String get(String path) {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + path));
            if (broker.login() != null) {
                request.header("Authorization", broker.login().basic());
            }
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /** Ends the process as a power cut would, except that the page cache survives. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Stops the broker as an operator would, and waits for its last flush. */
    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
