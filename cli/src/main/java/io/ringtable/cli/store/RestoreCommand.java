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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lays a backup down as the store of a data directory. */
@Command(
        name = "restore",
        description = {
            "Lays a backup down as the embedded store of a data directory that no broker uses.",
            "The store gets an epoch of its own: nothing that the original, or another copy, has given out counts in"
                    + " it. Messages that were consumed after the backup come again."
        },
        mixinStandardHelpOptions = true)
public final class RestoreCommand implements Callable<Integer> {
    @Mixin
    private StoreOptions store;

    @Option(
            names = "--move-aside",
            description = "Gives a store that is there another name. Without this option it is refused.")
    private boolean moveAside;

    @Parameters(
            paramLabel = "FILE",
            description = "The backup; it is not changed. Files of other shards lie beside it.")
    private Path backup;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        StoreCopyProcess.run(
                spec.commandLine().getOut(),
                List.of("restore", backup.toString(), store.file().toString(), String.valueOf(moveAside)));
        return ExitCode.DONE;
    }
}
