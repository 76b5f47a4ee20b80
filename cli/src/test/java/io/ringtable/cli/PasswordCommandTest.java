package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.cli.failure.ExitCode;
import io.ringtable.wire.ScramVerifier;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.springframework.security.crypto.bcrypt.BCrypt;

/** Tests that the printed lines fit the password, and no other. */
class PasswordCommandTest {

    private static Run run(String input, String... more) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        try {
            String[] arguments = new String[more.length + 2];
            arguments[0] = "password";
            arguments[1] = "--stdin";
            System.arraycopy(more, 0, arguments, 2, more.length);
            return Run.of(arguments);
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void printsAHashAndTwoVerifiersOfThePassword() {
        Run run = run("grün und gut\nanother line\n", "--iterations", "5000");

        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.err()).isEmpty();
        assertThat(run.lines()).hasSize(3);
        String bcrypt = run.lines().get(0);
        assertThat(bcrypt).startsWith("{bcrypt}$2a$10$").hasSize("{bcrypt}".length() + 60);
        assertThat(BCrypt.checkpw("grün und gut", bcrypt.substring("{bcrypt}".length())))
                .isTrue();
        for (String line : run.lines().subList(1, 3)) {
            assertThat(line).matches("\\{scram-sha-(256|512)}5000:.*");
            assertThat(ScramVerifier.parse(line).matches("grün und gut")).isTrue();
            assertThat(ScramVerifier.parse(line).matches("grün und gu")).isFalse();
        }
        assertThat(run("grün und gut").lines()).doesNotContainAnyElementsOf(run.lines());
    }

    @Test
    void leavesOutBcryptWhereItWouldCutThePassword() {
        Run run = run("x".repeat(73));

        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.lines()).hasSize(2).allMatch(line -> line.startsWith("{scram-sha-"));
        assertThat(run.err()).contains("73 bytes");
    }

    @Test
    void refusesAnEmptyPassword() {
        for (String input : new String[] {"", "\n"}) {
            Run run = run(input);
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).startsWith("RT-6033 ");
            assertThat(run.out()).isEmpty();
        }
    }
}
