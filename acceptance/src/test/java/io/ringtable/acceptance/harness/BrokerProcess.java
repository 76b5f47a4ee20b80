package io.ringtable.acceptance.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The executable broker jar as a process: started, killed, paused and started again on the same ports and the same
 * data.
 * <p>
 * Thread: any, one at a time. Failure: whatever it was waited for in vain, the end of its log is in the message.
 */
public final class BrokerProcess implements AutoCloseable {
    private static final Path ROOT = Path.of(System.getProperty("ringtable.root", ".."));
    /** Another build of the broker than this one, if {@code broker.jar} names one. */
    private static final Path JAR = Path.of(System.getProperty(
            "broker.jar", ROOT.resolve("broker/target/ringtable-broker.jar").toString()));

    private static final Duration WAIT_MAX = Duration.ofMinutes(5); // ends a test of a broker that hangs
    private static final Duration STOP_MAX = Duration.ofSeconds(60);
    private static final int LOG_TAIL_LINES = 40;
    private static final Pattern STARTED = Pattern.compile(" is active: | does not serve yet: ");
    private static final Pattern OWED = Pattern.compile("\"owedIn(?:Ring|Backlog)\"\\s*:\\s*(\\d+)");

    private final BrokerSettings settings;
    private final OtherNodes others; // null where there are none
    private volatile Process process;
    private volatile int starts;

    /** Makes one with as many shards and nodes as the run is asked for. */
    public BrokerProcess(BrokerSettings settings) {
        this(
                Topology.ASKED.applied(settings),
                Topology.ASKED.hasOthers(settings)
                        ? new OtherNodes(Topology.ASKED.applied(settings), Topology.ASKED)
                        : null);
    }

    /** Makes one without other nodes. */
    static BrokerProcess alone(BrokerSettings settings) {
        return new BrokerProcess(settings, null);
    }

    private BrokerProcess(BrokerSettings settings, OtherNodes others) {
        this.settings = settings;
        this.others = others;
        assertThat(JAR)
                .as("the executable broker jar; ./mvnw -DskipTests package builds it")
                .isRegularFile();
    }

    public BrokerSettings settings() {
        return settings;
    }

    /** Starts the process without waiting for anything. Its output goes to a log of its own per start. */
    public BrokerProcess launch() {
        try {
            Files.createDirectories(settings.directory());
            Files.writeString(settings.directory().resolve("application.properties"), settings.configuration());
            starts++;
            process = new ProcessBuilder(settings.command(JAR.toAbsolutePath()))
                    .directory(settings.directory().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(logFile().toFile())
                    .start();
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    public BrokerProcess start() {
        launch().awaitReady();
        if (others != null) {
            others.start(this);
        }
        return this;
    }

    /** Until each of its nodes has its share after a restart: a shard that goes to another one may end connections. */
    public BrokerProcess awaitShares() {
        if (others != null) {
            others.awaitShares(this);
        }
        return this;
    }

    /**
     * Until it serves. The log tells when its start is over. A question before that would wait for the same, and load
     * code in a broker that is busy with its start.
     */
    public BrokerProcess awaitReady() {
        waitUntil(
                "the end of its start in its log", () -> STARTED.matcher(log()).find());
        waitUntil("readiness", this::isReady);
        return this;
    }

    /** Until its log since the last start contains the text. */
    public BrokerProcess awaitLog(String text) {
        waitUntil("'" + text + "' in its log", () -> log().contains(text));
        return this;
    }

    private void waitUntil(String what, Callable<Boolean> condition) {
        try {
            await(what)
                    .atMost(WAIT_MAX)
                    .pollInterval(Duration.ofMillis(25))
                    .conditionEvaluationListener(null)
                    .until(() -> isSo(what, condition));
        } catch (ConditionTimeoutException late) {
            throw new AssertionError(what + "\n" + logTail(), late);
        }
    }

    private boolean isSo(String what, Callable<Boolean> condition) throws Exception {
        boolean alive = process.isAlive(); // before the look, which sees all that an ended process did
        boolean so = condition.call();
        if (!so && !alive) {
            throw new AssertionError(what + " was waited for, but the broker has ended\n" + logTail());
        }
        return so;
    }

    public boolean isReady() {
        return http("/readyz").status() == 200;
    }

    /** Whether it waits for another node's lease to end. */
    public boolean isStandingBy() {
        return http("/readyz").body().contains("standing by");
    }

    public boolean isLive() {
        return http("/livez").status() == 200;
    }

    /** @param status 0 if there was no answer */
    public record Answer(int status, String body) {}

    /** Asks the broker's HTTP side. */
    public Answer http(String path) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create("http://127.0.0.1:" + settings.httpPort() + path)
                            .toURL()
                            .openConnection();
            connection.setConnectTimeout(1_000);
            connection.setReadTimeout(5_000);
            settings.authorization().ifPresent(login -> connection.setRequestProperty("Authorization", login));
            int status = connection.getResponseCode();
            try (var body = status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
                return new Answer(status, body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8));
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return new Answer(0, e.toString());
        }
    }

    /** Whether it knows of nothing that anybody owes, in the ring or in the backlog; in a cluster none of its nodes. */
    public boolean owesNothing() {
        return nodes().stream().allMatch(node -> {
            Answer status = node.http("/status");
            List<String> owed = OWED.matcher(status.body())
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            return status.status() == 200 && !owed.isEmpty() && owed.stream().allMatch("0"::equals);
        });
    }

    /**
     * How many messages it owes on an address, by what is durable, and holds places for; in a cluster all of its nodes.
     * -1 if none of them has the address.
     */
    public long owed(String address) {
        Pattern its = Pattern.compile(
                "\\{\\s*\"name\"\\s*:\\s*\"" + Pattern.quote(address) + "\"[^{}]*?\"messages\"\\s*:\\s*(\\d+)");
        return nodes().stream()
                .flatMap(node -> its.matcher(node.http("/status").body()).results())
                .map(match -> Long.parseLong(match.group(1)))
                .reduce(Long::sum)
                .orElse(-1L);
    }

    /** Whether clients may be at another node than this one, and addresses too. */
    public boolean hasOtherNodes() {
        return others != null;
    }

    private List<BrokerProcess> nodes() {
        return others == null ? List.of(this) : others.with(this);
    }

    /** Until it owes so many on an address: what consumers have settled is durable then, as only that is counted. */
    public void awaitOwed(String address, long messages) {
        waitUntil(messages + " messages owed on " + address, () -> owed(address) == messages);
    }

    /** A metric without labels, of which the broker takes a sample every few seconds; NaN if it has none. */
    public double metric(String name) {
        return http("/actuator/prometheus")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(Double.NaN);
    }

    /** Where clients connect; in a cluster any of its nodes. */
    public String amqpUrl() {
        return "amqp://127.0.0.1:" + amqpPort();
    }

    /** The port of {@link #amqpUrl}. */
    public int amqpPort() {
        List<BrokerProcess> nodes = nodes();
        return nodes.get(ThreadLocalRandom.current().nextInt(nodes.size()))
                .settings
                .amqpPort();
    }

    public int httpPort() {
        return settings.httpPort();
    }

    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** The JVM's process id, also behind a wrapper. */
    public long pid() {
        if (settings.wrapper().isEmpty()) {
            return process.pid();
        }
        return process.descendants()
                .filter(child -> child.info().command().orElse("").endsWith("java"))
                .mapToLong(ProcessHandle::pid)
                .findFirst()
                .orElse(process.pid());
    }

    /** SIGKILL, as {@code kill -9}; returns when the process is gone. */
    public void kill() {
        Signal.KILL.to(pid());
        awaitExit(STOP_MAX);
    }

    /** SIGTERM; returns when the process is gone. */
    public void stop() {
        Signal.TERM.to(pid());
        awaitExit(STOP_MAX);
    }

    /** SIGSTOP: it stands still, and its sockets stay open. */
    public void pause() {
        Signal.STOP.to(pid());
    }

    public void resume() {
        Signal.CONT.to(pid());
    }

    /** @return the exit code */
    public int awaitExit(Duration most) {
        try {
            assertThat(process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS))
                    .as(() -> "the broker has not ended within " + most + "\n" + logTail())
                    .isTrue();
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    public Path logFile() {
        return settings.directory().resolve("broker-" + starts + ".log");
    }

    /** Everything it has printed since the last start. */
    public String log() {
        try {
            return Files.exists(logFile()) ? Files.readString(logFile()) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Everything that it has printed since the last start; in a cluster all of its nodes. */
    public String logs() {
        return nodes().stream().map(BrokerProcess::log).collect(Collectors.joining());
    }

    public String logTail() {
        List<String> lines = log().lines().toList();
        return logFile() + ":\n"
                + String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
    }

    /** Ends it, however it stands. */
    @Override
    public void close() {
        if (others != null) {
            others.close();
        }
        if (process == null || !process.isAlive()) {
            return;
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            process.waitFor(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
