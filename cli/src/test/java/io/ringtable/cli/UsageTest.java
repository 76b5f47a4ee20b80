package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.option.ConnectOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the command line without a broker: it prints one line with a code, and its exit codes differ by cause. */
class UsageTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "publish",
                "subscribe",
                "delete",
                "publish q --skip many",
                "subscribe q --count -1",
                "subscribe q --wait -1",
                "subscribe topic://t --unsubscribe",
                "subscribe queue://q --durable d",
                "subscribe topic://t --since 1h",
                "subscribe topic://t --durable d --since 1h --unsubscribe",
                "subscribe topic://t --durable d --since yesterday",
                "cluster --nodes 0",
                "cluster --nodes 17 --shards 17",
                "cluster --nodes two",
                "cluster --nodes 1 --shards 0",
                "cluster --shards 65",
                "cluster --amqp-port -1",
                "cluster --http-port 65534",
                "cluster --node 2",
                "cluster two",
                "completion",
                "completion fish",
                "address",
                "address nonsense",
                "address show",
                "address list --limit 0",
                "node",
                "node nonsense",
                "node list --limit 0",
                "node list extra",
                "address list --kind river",
                "address list --output xml",
                "address list --http localhost:8161",
                "address list --http http://u:secret@localhost:8161",
                "subscription why seven",
                "message send q --body a --body-file b",
                "message send q --body {secret --body-type json",
                "message copy 7",
                "explain",
                "deadletter redrive --rate fast",
                "deadletter redrive --hour 1h --since 2h",
                "address purge q --since tomorrow",
                "job start juggle q",
                "user change",
                "rule put r --match orders.#",
                "role put king",
                "policy put orders.#",
                "status --nonsense",
                "status --http localhost:8161",
                "status --wait -1",
                "bridge",
                "bridge --from amqp://localhost/a",
                "bridge --from http://localhost/a --to amqp://localhost/b",
                "bridge --from amqp://localhost --to amqp://localhost/b",
                "bridge --from amqp://u:secret@localhost/a --to amqp://localhost/b",
                "bridge --from amqp://localhost/topic://a --to amqp://localhost/b",
                "bridge --from amqp://localhost/a --durable d --to amqp://localhost/b",
                "bridge --from amqp://localhost/a?b --to amqp://localhost/b",
                "bridge --from amqp://localhost/a --to amqp://localhost/b --window 0",
                "bridge --from amqp://localhost/a --to amqp://localhost/b --count -1",
                "bridge --from amqp://localhost/a --to amqp://localhost/b --by-content --allow-duplicates",
                "bridge --from amqp://u@localhost/a --to amqp://localhost/b",
                "publish q --url http://localhost",
                "publish q --url amqp://u:secret@localhost",
                "backup",
                "backup --log-max 0 x.db",
                "backup --data-dir a --store b x.db",
                "restore",
                "restore --nonsense x.db",
                "password",
                "password --stdin --iterations 4095",
            })
    void refusesWhatItCannotUnderstandInOneLine(String arguments) {
        Run run = Run.of(arguments.isEmpty() ? new String[0] : arguments.split(" "));

        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).matches("RT-[56]\\d{3} .+\\R").doesNotContain("secret");
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "--version",
                "demo --help",
                "broker --help",
                "cluster --help",
                "publish --help",
                "status --help",
                "bridge --help",
                "delete --help",
                "backup --help",
                "restore --help",
                "bench --help",
                "subscribe --help",
                "completion --help",
                "password --help",
                "address --help",
                "address list --help",
                "explain --help",
                "message copy --help",
                "deadletter redrive --help",
                "policy put --help"
            })
    void answersHelpOnStandardOutput(String arguments) {
        Run run = Run.of(arguments.split(" "));

        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("ringtable");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void listsEveryCommandInOneGroup() {
        Run help = Run.of("--help");

        assertThat(CommandGroups.ALL.stream().flatMap(group -> group.commands().stream()))
                .containsExactlyInAnyOrderElementsOf(
                        RingtableCommand.commandLine().getSubcommands().keySet());
        assertThat(help.lines())
                .containsSubsequence(
                        "Run a broker:", "Messages:", "Look and administrate:", "Say who may:", "Tools:", "Exit codes:")
                .anyMatch(line -> line.matches("  publish {7}Publishes .*"))
                .anyMatch(line -> line.matches("  completion {4}Prints .*"));
    }

    @Test
    void makesTheCommandThatIsAskedForAlone() {
        assertThat(RingtableCommand.commandLine("address", "list").getSubcommands())
                .containsOnlyKeys("address");
        for (String all : List.of("--help", "nonsense", "completion")) {
            assertThat(RingtableCommand.commandLine(all).getSubcommands()).hasSizeGreaterThan(20);
        }
    }

    @Test
    void tellsABrokerThatDoesNotAnswerFromAFailure() throws Exception {
        int nobody = freePort();
        Path file = Files.writeString(directory.resolve("lines"), "one\n");

        Run publish = Run.of("publish", "q", file.toString(), "--url", "amqp://127.0.0.1:" + nobody);
        Run status = Run.of("status", "--http", "http://127.0.0.1:" + nobody);
        Run watching = Run.of("status", "--watch", "--http", "http://127.0.0.1:" + nobody);
        Run waiting = Run.of("status", "--wait", "0.3", "--http", "http://127.0.0.1:" + nobody);
        Run bridge =
                Run.of("bridge", "--from", "amqp://127.0.0.1:" + nobody + "/a", "--to", "amqp://127.0.0.1:" + nobody);

        assertThat(publish.exitCode()).isEqualTo(ExitCode.NO_BROKER);
        assertThat(publish.err()).startsWith("RT-5002 ").contains(String.valueOf(nobody));
        assertThat(status.exitCode()).isEqualTo(ExitCode.NO_BROKER);
        assertThat(status.err()).startsWith("RT-6014 ").contains(String.valueOf(nobody));
        assertThat(watching.exitCode()).isEqualTo(ExitCode.NO_BROKER);
        assertThat(watching.err()).startsWith("RT-6014 ").contains(String.valueOf(nobody));
        assertThat(waiting.exitCode()).isEqualTo(ExitCode.NO_BROKER);
        assertThat(waiting.err()).startsWith("RT-6016 ").contains("0.3 s", String.valueOf(nobody));
        assertThat(bridge.exitCode()).isEqualTo(ExitCode.NO_BROKER);
        assertThat(bridge.err()).startsWith("RT-6022 ").contains(String.valueOf(nobody));
        assertThat(bridge.out()).isEmpty();
    }

    @Test
    void refusesAClusterOnAPortInUseBeforeAnythingStarts() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int first = taken.getLocalPort() - 1;

            Run run = Run.of("cluster", "--nodes", "2", "--amqp-port", "0", "--http-port", String.valueOf(first));

            assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
            assertThat(run.err())
                    .startsWith("RT-6056 port ")
                    .contains(taken.getLocalPort() + " of node 2 is not free", "--http-port");
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    void refusesAFileThatIsNotThereBeforeItConnects() {
        Run run = Run.of("publish", "q", directory.resolve("missing").toString());

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).startsWith("RT-6003 cannot open ").contains("missing");
    }

    @Test
    void wantsAPasswordFromTheEnvironmentWhereThereIsNoTerminal() throws Exception {
        Path file = Files.writeString(directory.resolve("lines"), "one\n");

        for (List<String> user : List.of(List.of("--user", "shop"), List.of("--url", "amqp://shop@localhost"))) {
            Run run = Run.of("publish", "q", file.toString(), user.get(0), user.get(1));

            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).startsWith("RT-6002 user 'shop' ").contains(ConnectOptions.PASSWORD_VARIABLE);
        }
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
