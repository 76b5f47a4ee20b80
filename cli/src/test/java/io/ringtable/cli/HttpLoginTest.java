package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.option.ConnectOptions;
import io.ringtable.cli.process.BrokerProcess;
import io.ringtable.cli.terminal.GivenPassword;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs in to a broker over HTTP, with a password of the environment. */
class HttpLoginTest {
    @TempDir
    static Path directory;

    private static BrokerProcess broker;

    @BeforeAll
    static void startBroker() {
        broker = PackagedBroker.start(
                directory,
                "--ringtable.security.users[0].name=boss",
                "--ringtable.security.users[0].password={noop}sesame",
                "--ringtable.security.users[1].name=guest",
                "--ringtable.security.users[1].password={noop}sesame",
                "--ringtable.security.roles.administrator.users=boss",
                "--ringtable.security.roles.viewer.users=guest");
    }

    @AfterAll
    static void stopBroker() {
        PackagedBroker.stop(broker);
    }

    @Test
    void aUserDoesWhatItsRoleLetsIt() throws Exception {
        Run boss = inItsOwnProcess("boss", "sesame", "address", "create", "queue://orders");
        Run guest = run("guest", "sesame", "address", "list", "--filter", "orders");
        Run refused = run("guest", "sesame", "address", "delete", "orders");
        Run status = run("guest", "sesame", "status");
        Run roles = run("guest", "sesame", "role", "list", "--filter", "view");

        assertThat(boss.err()).isEmpty();
        assertThat(boss.out()).startsWith("created queue://orders");
        assertThat(guest.err()).isEmpty();
        assertThat(guest.lines().get(1)).startsWith("orders  QUEUE");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(refused.err()).matches("RT-77\\d\\d user 'guest' may not .*\\R");
        assertThat(status.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(status.out()).startsWith("state      ACTIVE");
        assertThat(roles.lines()).as("the head, and one role").hasSize(2);
        assertThat(roles.out()).contains("VIEWER", "guest");
    }

    @Test
    void whoCannotLogInIsToldSo() {
        Run wrong = run("boss", "Sesame", "address", "list");
        Run nobody = Run.of("status", "--http", broker.httpUrl().toString());
        Run waiting = Run.of("status", "--wait", "1", "--http", broker.httpUrl().toString());

        assertThat(wrong.exitCode()).isEqualTo(ExitCode.LOGIN_REFUSED);
        assertThat(wrong.err()).matches("RT-75\\d\\d .*\\R").doesNotContain("Sesame");
        assertThat(nobody.exitCode()).isEqualTo(ExitCode.LOGIN_REFUSED);
        assertThat(nobody.err()).matches("RT-75\\d\\d .*--user.*\\R");
        assertThat(waiting.exitCode()).isEqualTo(ExitCode.LOGIN_REFUSED); // ready, and then the status needs a login
    }

    @Test
    void aUserIsAddedDoesWhatARuleLetsItAndIsRemoved() {
        Run added = withInput("open sesame\n", "boss", "sesame", "user", "add", "anna", "--groups", "shops", "--stdin");
        Run rule = run(
                "boss",
                "sesame",
                "rule",
                "put",
                "shops",
                "--match",
                "shop.#",
                "--groups",
                "shops",
                "--permissions",
                "create,send");
        Run hers = run("anna", "open sesame", "address", "create", "queue://shop.orders");
        Run other = run("anna", "open sesame", "address", "create", "queue://orders");
        Run list = run("boss", "sesame", "rule", "list", "--output", "json");
        Run noRule = run("boss", "sesame", "rule", "delete", "shops", "--force");
        Run removed = run("boss", "sesame", "user", "remove", "anna");
        Run gone = run("anna", "open sesame", "user", "whoami");

        assertThat(added.out()).startsWith("added user anna");
        assertThat(rule.out()).startsWith("set rule shops");
        assertThat(hers.err()).isEmpty();
        assertThat(other.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(other.err()).matches("RT-77\\d\\d user 'anna' may not .*\\R");
        assertThat(list.out()).contains("\"match\":\"shop.#\"");
        assertThat(noRule.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(removed.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(gone.exitCode()).isEqualTo(ExitCode.LOGIN_REFUSED);
    }

    @Test
    void aUserHasBoundsOfItsOwnUntilItHasThoseOfAll() {
        Run added =
                withInput("a secret\n", "boss", "sesame", "user", "add", "bulk", "--stdin", "--connections-max", "7");
        Run changed = run("boss", "sesame", "user", "change", "bulk", "--bytes-per-second", "5000000");
        Run listed = run("boss", "sesame", "user", "list", "--filter", "bulk", "--output", "json");
        Run asAll = run("boss", "sesame", "user", "change", "bulk", "--connections-max=-1");
        Run after = run("boss", "sesame", "user", "list", "--filter", "bulk", "--output", "json");
        Run wrong = run("boss", "sesame", "user", "change", "bulk", "--messages-per-second=-2");

        assertThat(added.err()).isEmpty();
        assertThat(changed.err()).isEmpty();
        assertThat(listed.out()).contains("\"connectionsMax\":7").contains("\"bytesPerSecond\":5000000");
        assertThat(asAll.err()).isEmpty();
        assertThat(after.out()).doesNotContain("connectionsMax").contains("\"bytesPerSecond\":5000000");
        assertThat(wrong.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(wrong.err()).startsWith("RT-7721 user 'bulk' is not set: messagesPerSecond=-2");
    }

    @Test
    void aPolicySetsTheQuotaOfAnAddress() {
        run("boss", "sesame", "address", "create", "queue://bulk.orders");
        Run put = run("boss", "sesame", "policy", "put", "bulk.#", "messagesMax=500000", "bytesMax=2000000000");
        Run address = run("guest", "sesame", "address", "list", "--filter", "bulk.orders", "--output", "json");
        Run policies = run("guest", "sesame", "policy", "list");

        assertThat(put.err()).isEmpty();
        assertThat(address.out()).contains("\"messagesMax\":500000").contains("\"bytesMax\":2000000000");
        assertThat(policies.lines().get(0)).contains("messages max").contains("bytes max");
        assertThat(policies.out()).contains("2,000,000,000");
    }

    private static Run run(String user, String password, String... arguments) {
        return withInput("", user, password, arguments);
    }

    private static Run withInput(String input, String user, String password, String... arguments) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        try {
            return GivenPassword.with(ConnectOptions.PASSWORD_VARIABLE, password, () -> Run.of(as(user, arguments)));
        } finally {
            System.setIn(before);
        }
    }

    private static Run inItsOwnProcess(String user, String password, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                RingtableCommand.class.getName()));
        command.addAll(List.of(as(user, arguments)));
        Path err = Files.createTempFile(directory, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().put(ConnectOptions.PASSWORD_VARIABLE, password);
        Process process = builder.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), out, Files.readString(err));
    }

    private static String[] as(String user, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--user", user, "--http", broker.httpUrl().toString()));
        return all.toArray(String[]::new);
    }
}
