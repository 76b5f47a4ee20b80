package io.ringtable.cli.address;

import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.option.ConnectOptions;
import io.ringtable.client.Address;
import io.ringtable.client.RingtableClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Deletes a stored queue or topic. */
@Command(
        name = "delete",
        description = "Deletes a queue or a topic that is not in use.",
        mixinStandardHelpOptions = true)
public final class DeleteCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect;

    @Parameters(paramLabel = "ADDRESS", description = "queue://NAME or topic://NAME; a plain NAME is a queue.")
    private String address;

    @Option(
            names = "--force",
            description = "Delete the address even if it is in use: its messages and durable subscriptions go too, and"
                    + " attached links are detached.")
    private boolean force;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        Address doomed = Address.of(address);
        try (RingtableClient client = connect.builder().connect()) {
            if (force) {
                client.deleteEvenIfUsed(doomed);
            } else {
                client.delete(doomed);
            }
        }
        spec.commandLine().getOut().println("deleted " + doomed);
        return ExitCode.DONE;
    }
}
