package io.ringtable.cli;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import picocli.CommandLine.Command;

/**
 * Stands for the benchmarks in the list of commands. The script {@code bin/ringtable} starts them from a jar of their
 * own, which has their options.
 */
@Command(
        name = "bench",
        description = "Measures the queues of the articles that the ring comes from beside Ringtable's, and judges what"
                + " the articles claim; bin/ringtable bench --help lists its options.",
        mixinStandardHelpOptions = true)
final class BenchCommand implements Runnable {
    @Override
    public void run() {
        throw new CommandFailed(
                ExitCode.FAILED,
                "RT-6015",
                "the benchmarks are not part of this jar: run bin/ringtable bench in a checkout");
    }
}
