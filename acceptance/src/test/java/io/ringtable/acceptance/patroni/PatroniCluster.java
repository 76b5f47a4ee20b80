package io.ringtable.acceptance.patroni;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.broker.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Three PostgreSQL servers under Patroni, with an etcd. A commit waits for a standby ({@code synchronous_mode_strict}).
 * The files lie below the machine's temporary directory, as another user than root has to reach them. The logs lie in
 * the bench. Thread: the test's.
 */
final class PatroniCluster implements AutoCloseable {
    private static final int MEMBERS = 3;
    private static final long LAG_BYTES_MAX = 1 << 20;
    private static final Duration MOST = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(200); // each asks Patroni

    private final Path directory;
    private final Path logs;
    private final List<PatroniMember> members = new ArrayList<>();
    private Process etcd;

    private PatroniCluster(Path directory, Path logs) {
        this.directory = directory;
        this.logs = logs;
    }

    /** Starts one; skips the test where its programs are missing. Ends with the bench. */
    static PatroniCluster start(Bench bench) throws IOException {
        PatroniPrograms programs = PatroniPrograms.find();
        Path directory = Files.createTempDirectory("ringtable-patroni-");
        PatroniCluster cluster = bench.closing(new PatroniCluster(directory, bench.directory()));
        cluster.begin(programs);
        return cluster;
    }

    private void begin(PatroniPrograms programs) throws IOException {
        Files.createDirectories(logs);
        int etcdPort = Ports.free();
        String client = "http://127.0.0.1:" + etcdPort;
        String peer = "http://127.0.0.1:" + Ports.free();
        etcd = new ProcessBuilder(
                        "etcd",
                        "--data-dir=" + directory.resolve("etcd"),
                        "--unsafe-no-fsync",
                        "--listen-client-urls=" + client,
                        "--advertise-client-urls=" + client,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=default=" + peer)
                .redirectErrorStream(true)
                .redirectOutput(logs.resolve("etcd.log").toFile())
                .start();
        for (int i = 1; i <= MEMBERS; i++) {
            Path own = Files.createDirectory(directory.resolve("p" + i));
            members.add(new PatroniMember(programs, own, logs.resolve("p" + i + ".log"), "p" + i, etcdPort));
            handOver(programs, own);
        }
        handOver(programs, directory);
        for (PatroniMember member : members) {
            member.start();
        }
        awaitWhole();
    }

    private static void handOver(PatroniPrograms programs, Path path) throws IOException {
        if (!programs.asUser().isEmpty()) {
            Files.setAttribute(path, "unix:uid", PatroniPrograms.USER);
            Files.setAttribute(path, "unix:gid", PatroniPrograms.USER);
        }
    }

    /** The database, wherever its primary is. */
    ServerDatabase database(String name) throws SQLException {
        new ServerDatabase(url("postgres"), "postgres", "postgres").execute("CREATE DATABASE " + name);
        // The broker finds out by itself which of them is the primary.
        return new ServerDatabase(url(name).replaceFirst("[?].*", ""), "postgres", "postgres");
    }

    private String url(String database) {
        return "jdbc:postgresql://"
                + members.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(","))
                + "/" + database + "?targetServerType=primary";
    }

    /** Until there is a primary that no standby lags behind, one of them synchronous. @return the primary */
    PatroniMember awaitWhole() {
        try {
            await("a whole cluster").atMost(MOST).pollInterval(LOOK).until(this::isWhole);
        } catch (ConditionTimeoutException late) {
            throw new AssertionError("members " + seen() + ", logs in " + logs, late);
        }
        return primary().orElseThrow();
    }

    /** Until another member is the primary. @return it */
    PatroniMember awaitOtherThan(PatroniMember former) {
        try {
            await("the next primary")
                    .atMost(MOST)
                    .pollInterval(LOOK)
                    .until(() -> primary().filter(now -> now != former).isPresent());
        } catch (ConditionTimeoutException late) {
            throw new AssertionError("members " + seen() + ", logs in " + logs, late);
        }
        return primary().orElseThrow();
    }

    /** The synchronous standby. */
    PatroniMember standby() {
        return withRole("sync_standby").orElseThrow();
    }

    /** A former primary that Patroni has not rewound yet is on an earlier timeline. */
    private boolean isWhole() {
        List<String> roles = new ArrayList<>();
        Set<Integer> timelines = new HashSet<>();
        for (JsonNode member : seen()) {
            String state = member.path("state").asText();
            if (!state.equals("running") && !state.equals("streaming")
                    || member.path("lag").asLong() > LAG_BYTES_MAX) {
                return false;
            }
            roles.add(member.path("role").asText());
            timelines.add(member.path("timeline").asInt());
        }
        return roles.size() == MEMBERS
                && timelines.size() == 1
                && roles.contains("leader")
                && roles.contains("sync_standby");
    }

    private Optional<PatroniMember> primary() {
        return withRole("leader");
    }

    private Optional<PatroniMember> withRole(String role) {
        for (JsonNode seen : seen()) {
            if (seen.path("role").asText().equals(role)) {
                return members.stream()
                        .filter(member -> member.name().equals(seen.path("name").asText()))
                        .findFirst();
            }
        }
        return Optional.empty();
    }

    /** As the first member says that answers. */
    private JsonNode seen() {
        JsonNode seen = null;
        for (PatroniMember member : members) {
            seen = member.members();
            if (!seen.isEmpty()) {
                return seen;
            }
        }
        return seen;
    }

    @Override
    public void close() {
        members.forEach(PatroniMember::close);
        if (etcd != null) {
            etcd.destroyForcibly().onExit().orTimeout(1, TimeUnit.MINUTES).join();
        }
        await("the end of its processes").ignoreException(IOException.class).until(this::isRemoved);
    }

    /** Backends end by themselves after their parent, and write until then. */
    private boolean isRemoved() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return true;
    }
}
