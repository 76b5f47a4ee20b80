package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ringtable.cli.failure.ExitCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Completes command lines in a real bash, with the script that {@code ringtable completion bash} prints. */
class CompletionTest {
    private static final Path BASH = Path.of("/bin/bash");

    /** Does what the Tab key does: words of the line, number of the one at the cursor, then the function. */
    private static final String TAB = """
            source "$1"
            shift
            COMP_WORDS=("$@")
            COMP_CWORD=$(($# - 1))
            COMP_LINE="$*"
            COMP_POINT=${#COMP_LINE}
            complete -p ringtable | grep -q -- '-F _complete_ringtable' || exit 9
            _complete_ringtable
            printf '%s\\n' "${COMPREPLY[@]}"
            """;

    @TempDir
    static Path directory;

    private static Path script;

    @BeforeAll
    static void print() throws Exception {
        assumeTrue(Files.isExecutable(BASH), "no " + BASH + " on this machine");
        Run run = Run.of("completion", "bash");
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(run.err()).isEmpty();
        script = Files.writeString(directory.resolve("ringtable.bash"), run.out());
    }

    @Test
    void completesACommand() throws Exception {
        assertThat(tab("ringtable", "sta")).containsExactly("status");
        assertThat(tab("ringtable", "address", "p")).containsExactly("purge");
        assertThat(tab("ringtable", "deadletter", "")).containsExactlyInAnyOrder("list", "redrive");
        assertThat(tab("ringtable", "")).contains("publish", "subscribe", "completion");
    }

    @Test
    void completesAnOptionOfACommand() throws Exception {
        assertThat(tab("ringtable", "subscribe", "--he")).containsExactlyInAnyOrder("--headers", "--help");
        assertThat(tab("ringtable", "status", "--wat")).containsExactly("--watch");
        assertThat(tab("ringtable", "address", "list", "--k")).containsExactly("--kind");
        assertThat(tab("ringtable", "address", "list", "--ht")).containsExactly("--http");
    }

    @Test
    void completesAValueFromItsList() throws Exception {
        assertThat(tab("ringtable", "completion", "b")).contains("bash");
        assertThat(tab("ringtable", "address", "list", "--kind", "")).contains("queue", "topic");
        assertThat(tab("ringtable", "address", "list", "--output", "j")).containsExactly("json");
    }

    @Test
    void theScriptForZshIsTheSame() throws Exception {
        assertThat(Run.of("completion", "zsh").out()).isEqualTo(Files.readString(script));
    }

    private static List<String> tab(String... words) throws Exception {
        ProcessBuilder bash = new ProcessBuilder(BASH.toString(), "--norc", "-c", TAB, "bash", script.toString());
        bash.command().addAll(List.of(words));
        // Outside of a real completion, bash says on standard error that options of one cannot be set.
        Process process = bash.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return out.lines().map(String::strip).toList();
    }
}
