package io.ringtable.cli.store;

import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.process.StoreCopyProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes a backup of an embedded store, whose broker may run meanwhile. */
@Command(
        name = "backup",
        description = {
            "Copies the embedded store of a broker into one file, as of one commit, while the broker runs or not. Where"
                    + " it has several shards there is a file for each, FILE and FILE-shard-1 and so on.",
            "A file gets its name when it is complete, checked and on disk. Run this as the broker's user, on its"
                    + " machine. A store on a database server is in that server's own backup."
        },
        mixinStandardHelpOptions = true)
public final class BackupCommand implements Callable<Integer> {
    @Mixin
    private StoreOptions store;

    @Option(
            names = "--log-max",
            paramLabel = "MB",
            description =
                    "Gives up when the store's log has grown by more than this meanwhile (default: the size of the"
                            + " store, at least 1024 MB). The log cannot begin anew before the copy has ended.")
    private Integer logMaxMb;

    @Parameters(paramLabel = "FILE", description = "Where the backup shall be; a file that exists is refused.")
    private Path target;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (logMaxMb != null && logMaxMb < 1) {
            throw new ParameterException(spec.commandLine(), "--log-max " + logMaxMb + " is below 1");
        }
        long logBytesMax = logMaxMb == null ? 0 : (long) logMaxMb << 20;
        StoreCopyProcess.run(
                spec.commandLine().getOut(),
                List.of("backup", store.file().toString(), target.toString(), String.valueOf(logBytesMax)));
        return ExitCode.DONE;
    }
}
