package io.ringtable.cli.connection;

import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Administers connections of clients. */
@Command(name = "connection", description = "Lists, shows and closes connections of clients.")
public final class ConnectionCommand extends ManagementCommand {
    private static final String ID = "Id of the connection, such as c17.";

    @Command(name = "list", description = "Lists the open connections.", mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(
                            names = "--filter",
                            paramLabel = "TEXT",
                            description = "Show those only whose user, container or address has TEXT in it.")
                    String filter) {
        list(
                Resource.of("connections").with("filter", filter),
                options,
                "id",
                "user",
                "container",
                "remote",
                "tls",
                "mechanism",
                "since",
                "sessions",
                "links",
                "heldBytes",
                "transactions",
                "unsettled");
    }

    @Command(name = "show", description = "Shows a connection.", mixinStandardHelpOptions = true)
    void show(@Parameters(paramLabel = "ID", description = ID) String id) {
        show(broker().get(Resource.of("connections", id)));
    }

    @Command(
            name = "close",
            description = "Closes a connection. What its client has not settled comes to others; the client may come"
                    + " back.",
            mixinStandardHelpOptions = true)
    void close(@Parameters(paramLabel = "ID", description = ID) String id) {
        delete(Resource.of("connections", id), "closed connection " + id);
    }
}
