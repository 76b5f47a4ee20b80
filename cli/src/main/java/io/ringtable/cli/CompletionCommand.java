package io.ringtable.cli;

import io.ringtable.cli.failure.ExitCode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script by which a shell completes commands, options and their values. */
@Command(
        name = "completion",
        description = "Prints the script by which bash or zsh completes commands and options.",
        mixinStandardHelpOptions = true,
        footer = {
            "%nRead it in the shell, or at its start in ~/.bashrc or ~/.zshrc:",
            "  source <(ringtable completion bash)",
            "  source <(ringtable completion zsh)"
        })
final class CompletionCommand implements Callable<Integer> {

    /** Names a shell as one types it. Both take the same script, which asks by which one it is read. */
    enum Shell {
        bash,
        zsh
    }

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(AutoComplete.bash("ringtable", spec.commandLine().getParent()));
        out.flush();
        return ExitCode.DONE;
    }
}
