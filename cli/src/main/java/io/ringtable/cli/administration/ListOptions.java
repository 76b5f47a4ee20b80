package io.ringtable.cli.administration;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import picocli.CommandLine.Option;

/** Bounds a list. The command gathers its pages by itself. */
public final class ListOptions {
    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Show at most N, 1 or more (default: ${DEFAULT-VALUE}).")
    private int limit;

    int limit() {
        if (limit < 1) {
            throw new CommandFailed(ExitCode.USAGE, "RT-6045", "--limit " + limit + " is below 1");
        }
        return limit;
    }
}
