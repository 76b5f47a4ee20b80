package io.ringtable.cli.connection;

import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Administers open transactions. */
@Command(name = "transaction", description = "Lists open transactions, and rolls one back.")
public final class TransactionCommand extends ManagementCommand {

    @Command(name = "list", description = "Lists open transactions, oldest first.", mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(names = "--connection", paramLabel = "ID", description = "Show those of this connection.")
                    String connection) {
        list(
                Resource.of("transactions").with("connection", connection),
                options,
                "id",
                "connection",
                "user",
                "since",
                "messages",
                "bytes",
                "settlements",
                "rolledBack");
    }

    @Command(
            name = "rollback",
            description = "Rolls a transaction back; its client learns of it when it wants to commit.",
            mixinStandardHelpOptions = true)
    void rollback(@Parameters(paramLabel = "ID", description = "Id of the transaction, such as c17.t2.") String id) {
        delete(Resource.of("transactions", id), "rolled back transaction " + id);
    }
}
