package io.ringtable.walkthrough;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code bin/ringtable cluster} in a directory of the test's: whatever ends it, nothing of it goes on. */
class ClusterCommandTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(200); // each goes through the processes of the machine
    private static final Pattern NODE = Pattern.compile("Node (\\d) runs \\(process (\\d+)\\): (\\S+) and (\\S+)");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
        processes().forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void whatItHasStartedEndsWithItAndItsDataIsThereAtTheNextStart() throws Exception {
        Path data = directory.resolve("data");
        Process killed = cluster(data, "killed");
        List<String> urls = awaitReady(killed, "killed");
        assertThat(processes()).as("processes on %s", data).hasSizeGreaterThanOrEqualTo(4);
        String message =
                Files.writeString(directory.resolve("message"), "one\n").toString();
        run(List.of("publish", "queue://orders", message, "--url", urls.get(0)));

        Process second = cluster(data, "second");
        assertThat(second.onExit().get().exitValue()).as(output("second")).isEqualTo(1);
        assertThat(output("second")).contains("RT-6057 ", data.toString(), "--data");

        killed.destroyForcibly();
        await("the end of all after SIGKILL")
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .untilAsserted(() -> assertThat(processes()).isEmpty());

        Process again = cluster(data, "again");
        urls = awaitReady(again, "again");
        assertThat(run(List.of("subscribe", "queue://orders", "--count", "1", "--url", urls.get(2))))
                .contains("one");

        again.destroy();
        assertThat(again.onExit().get().exitValue()).as(output("again")).isIn(0, 143);
        assertThat(processes()).as("processes on %s", data).isEmpty();
        assertThat(output("again")).doesNotContain("RT-60");
    }

    private Process cluster(Path data, String name) throws IOException {
        return begin(
                name,
                List.of(
                        "cluster",
                        "--nodes=2",
                        "--shards=2",
                        "--amqp-port=0",
                        "--http-port=0",
                        "--data=" + data,
                        "--ringtable.lease=2s"));
    }

    private Process begin(String name, List<String> arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(Checkout.ROOT.resolve("bin/ringtable").toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".out").toFile());
        builder.environment().put("RINGTABLE_JAVA_OPTS", Checkout.BRIEF_JVM);
        builder.environment().put("RINGTABLE_RING_CAPACITY", "16384");
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private String run(List<String> arguments) throws Exception {
        Process process = begin("command", arguments);
        assertThat(process.onExit().get().exitValue()).as(output("command")).isZero();
        return output("command");
    }

    /** @return the AMQP and the HTTP URL of each node, in turn */
    private List<String> awaitReady(Process cluster, String name) {
        await("the cluster")
                .atMost(PATIENCE)
                .pollInterval(LOOK)
                .until(() -> output(name).contains("The cluster is ready") || !cluster.isAlive());
        List<String> urls = new ArrayList<>();
        Matcher nodes = NODE.matcher(output(name));
        while (nodes.find()) {
            urls.add(nodes.group(3));
            urls.add(nodes.group(4));
        }
        assertThat(urls).as(output(name)).hasSize(4);
        return urls;
    }

    private String output(String name) {
        try {
            return Files.readString(directory.resolve(name + ".out"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Finds the processes that the directory belongs to, without the commands: brokers, the server and its parent. */
    private List<ProcessHandle> processes() {
        String data = directory.resolve("data").toString();
        return ProcessHandle.allProcesses()
                .filter(process -> started.stream().noneMatch(own -> own.pid() == process.pid()))
                .filter(process -> process.info().commandLine().orElse("").contains(data))
                .toList();
    }
}
