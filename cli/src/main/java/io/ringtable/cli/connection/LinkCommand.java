package io.ringtable.cli.connection;

import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import io.ringtable.client.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Administers links: each is one publisher or one consumer of a connection. */
@Command(name = "link", description = "Lists and detaches publishers and consumers, and says what each waits for.")
public final class LinkCommand extends ManagementCommand {

    @Command(name = "list", description = "Lists the attached links.", mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(names = "--connection", paramLabel = "ID", description = "Show those of the connection only.")
                    String connection,
            @Option(names = "--address", paramLabel = "NAME", description = "Show those of the address only.")
                    String address) {
        list(
                Resource.of("links")
                        .with("connection", connection)
                        .with(
                                "address",
                                address == null ? null : Address.of(address).name()),
                options,
                "id",
                "role",
                "address",
                "subscription",
                "name",
                "credit",
                "unsettled",
                "messages",
                "since",
                "waitsFor");
    }

    @Command(
            name = "close",
            description = "Detaches a link with an error; its client may attach again.",
            mixinStandardHelpOptions = true)
    void close(@Parameters(paramLabel = "ID", description = "Id of the link, such as c17.3.") String id) {
        delete(Resource.of("links", id), "closed link " + id);
    }
}
