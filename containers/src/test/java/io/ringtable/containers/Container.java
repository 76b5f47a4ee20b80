package io.ringtable.containers;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs the entry point of an image in namespaces of its own, as a container runtime starts it. It is the first process,
 * as the user of the image, without privileges, on a root that nobody can write to. Only a volume and {@code /tmp},
 * where nothing can be executed, take files.
 * <p>
 * The network is the machine's, so the ports are free ones. Thread: the test's.
 */
final class Container implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(10); // an emulated JVM starts in minutes
    private static final String ENTER = """
            set -e
            root=$1 volume=$2 user=$3
            shift 3
            mount --make-rprivate /
            mount --bind "$root" "$root"
            mount --bind "$volume" "$root/var/lib/ringtable"
            mount -t tmpfs -o noexec,nosuid,nodev,mode=1777 tmpfs "$root/tmp"
            mount -t proc proc "$root/proc"
            mount --rbind /dev "$root/dev"
            mount -o remount,bind,ro "$root"
            exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+sys_chroot,+setuid,+setgid \\
                chroot --userspec="$user" "$root" "$@"
            """;

    final int amqpPort = freePort();
    final int httpPort = freePort();

    private final Image image;
    private final Path volume;
    private final Path log;
    private final Map<String, String> environment;
    private Process process;

    Container(Image image, Path directory, Map<String, String> environment) throws IOException {
        this.image = image;
        this.volume = Files.createDirectories(directory.resolve("volume"));
        this.log = directory.resolve("container.log");
        // A runtime hands a new volume over with the mode of the directory that it covers.
        Image.run("chmod", "--reference=" + image.root().resolve("var/lib/ringtable"), volume.toString());
        for (String mountPoint : List.of("proc", "dev")) {
            Files.createDirectories(image.root().resolve(mountPoint));
        }
        this.environment = new HashMap<>(image.environment());
        this.environment.putAll(environment);
        this.environment.put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        this.environment.put("RINGTABLE_AMQP_PORT", Integer.toString(amqpPort));
        this.environment.put("SERVER_PORT", Integer.toString(httpPort));
    }

    void start() throws IOException {
        List<String> command = new ArrayList<>(List.of("unshare", "--mount", "--pid", "--fork"));
        command.addAll(List.of("sh", "-c", ENTER, "container"));
        command.addAll(List.of(image.root().toString(), volume.toString(), image.user()));
        command.addAll(image.entrypoint());
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        process = builder.start();
        process.getOutputStream().close();
        await("readiness")
                .atMost(PATIENCE)
                .failFast("the container has ended", this::failIfEnded)
                .until(() -> answers("/readyz"));
    }

    private void failIfEnded() throws IOException {
        if (!process.isAlive()) {
            throw new AssertionError("the container has ended\n" + log());
        }
    }

    /** Whether HTTP answers 200. */
    boolean answers(String path) {
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + httpPort + path).toURL().openConnection();
            connection.setConnectTimeout(1_000);
            connection.setReadTimeout(5_000);
            return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** The first process of the container, as the machine sees it. */
    long pid() {
        return process.toHandle().children().findFirst().orElseThrow().pid();
    }

    /** Runs a command in the running container, as its user. */
    String execute(List<String> command) throws IOException {
        String[] ids = image.user().split(":");
        List<String> entering = new ArrayList<>(List.of("nsenter", "--target", Long.toString(pid()), "--mount"));
        entering.addAll(List.of("--pid", "--root", "--wd", "--setuid", ids[0], "--setgid", ids[1], "--"));
        entering.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(entering).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process entered = builder.start();
        entered.getOutputStream().close();
        String output = new String(entered.getInputStream().readAllBytes());
        try {
            return entered.waitFor() + ": " + output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** SIGTERM, as a runtime stops a container. @return the exit code */
    int stop() throws IOException, InterruptedException {
        Image.run("kill", "-TERM", Long.toString(pid()));
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("the container has not ended within " + PATIENCE + "\n" + log());
        }
        return process.exitValue();
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the first process of the container, and with it all others there: unshare's end would leave it alone. */
    @Override
    public void close() {
        if (process != null) {
            List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                    .toList();
            all.forEach(ProcessHandle::destroyForcibly);
            all.forEach(each -> each.onExit().join());
        }
    }
}
