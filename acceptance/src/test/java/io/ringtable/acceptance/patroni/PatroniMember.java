package io.ringtable.acceptance.patroni;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ringtable.acceptance.harness.Signal;
import io.ringtable.broker.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One server of the cluster: Patroni's process, and the PostgreSQL that it runs. Thread: the test's. */
final class PatroniMember implements AutoCloseable {
    private static final Duration ANSWER = Duration.ofSeconds(60); // a switchover is answered when it is over
    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(LOOK)
            .build();

    private final PatroniPrograms programs;
    private final Path directory; // its own user's
    private final Path log;
    private final String name;
    private final int port = Ports.free();
    private final int restPort = Ports.free();
    private Process patroni;

    PatroniMember(PatroniPrograms programs, Path directory, Path log, String name, int etcdPort) throws IOException {
        this.programs = programs;
        this.directory = directory;
        this.log = log;
        this.name = name;
        Files.writeString(
                configuration(), """
                scope: ringtable
                name: %1$s
                restapi: {listen: 127.0.0.1:%3$d, connect_address: 127.0.0.1:%3$d}
                etcd3: {host: 127.0.0.1:%5$d}
                bootstrap:
                  dcs:
                    ttl: 20
                    loop_wait: 2
                    retry_timeout: 3
                    synchronous_mode: true
                    synchronous_mode_strict: true
                    primary_start_timeout: 0
                    postgresql:
                      use_pg_rewind: true
                      parameters: {max_connections: 100, shared_buffers: 32MB, wal_retrieve_retry_interval: 500ms}
                  initdb: [{encoding: UTF8}, data-checksums]
                postgresql:
                  listen: 127.0.0.1:%2$d
                  connect_address: 127.0.0.1:%2$d
                  data_dir: %4$s/data
                  bin_dir: %6$s
                  authentication:
                    superuser: {username: postgres, password: postgres}
                    replication: {username: replicator, password: postgres}
                  parameters: {unix_socket_directories: ''}
                  pg_hba: [host all all 127.0.0.1/32 scram-sha-256, host replication all 127.0.0.1/32 scram-sha-256]
                watchdog: {mode: 'off'}
                """.formatted(name, port, restPort, directory, etcdPort, programs.binaries()));
    }

    private Path configuration() {
        return directory.resolve("patroni.yml");
    }

    String name() {
        return name;
    }

    int port() {
        return port;
    }

    void start() throws IOException {
        List<String> command = new ArrayList<>(programs.asUser());
        command.addAll(List.of("patroni", configuration().toString()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().put("HOME", directory.toString());
        builder.environment().put("LC_ALL", "C.UTF-8");
        patroni = builder.start();
        patroni.getOutputStream().close();
    }

    /** SIGKILL of Patroni and of the server. */
    void kill() {
        Signal.KILL.to(processes());
        patroni.onExit().orTimeout(1, TimeUnit.MINUTES).join();
    }

    /** SIGSTOP of all of its processes: it takes connections, and says nothing. */
    void pause() {
        Signal.STOP.to(processes());
    }

    void resume() {
        Signal.CONT.to(processes());
    }

    /** Has this primary hand over to whichever standby Patroni chooses. @return what it answered */
    String switchOver(String to) {
        return ask(HttpRequest.newBuilder(uri("/switchover"))
                        .timeout(ANSWER)
                        .POST(BodyPublishers.ofString("{\"leader\": \"" + name + "\", \"candidate\": \"" + to + "\"}"))
                        .build())
                .body();
    }

    /** The members of the cluster as it knows them; none if it does not answer. */
    JsonNode members() {
        try {
            return JSON.readTree(ask(HttpRequest.newBuilder(uri("/cluster"))
                                    .timeout(LOOK)
                                    .build())
                            .body())
                    .path("members");
        } catch (IOException | UncheckedIOException notNow) {
            return JSON.createArrayNode();
        }
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + restPort + path);
    }

    private static HttpResponse<String> ask(HttpRequest request) {
        try {
            return HTTP.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<Long> processes() {
        List<Long> processes = new ArrayList<>(List.of(patroni.pid()));
        patroni.descendants().map(ProcessHandle::pid).forEach(processes::add);
        postmaster().ifPresent(server -> {
            processes.add(server.pid());
            server.descendants().map(ProcessHandle::pid).forEach(processes::add);
        });
        return processes;
    }

    private Optional<ProcessHandle> postmaster() {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readAllLines(directory.resolve("data/postmaster.pid"))
                    .get(0)
                    .strip()));
        } catch (IOException | IndexOutOfBoundsException stopped) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        if (patroni != null) {
            Signal.KILL.to(processes());
            patroni.onExit().orTimeout(1, TimeUnit.MINUTES).join();
        }
    }
}
