package io.ringtable.cli.status;

import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the nodes that share a database, stand-bys too. Each of them has the same list. */
@Command(name = "node", description = "Lists the nodes of a database: who serves which shards, and who stands by.")
public final class NodeCommand extends ManagementCommand {

    @Command(
            name = "list",
            description = "Lists the nodes, those that were lost within the last day too.",
            mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(
                            names = "--filter",
                            paramLabel = "TEXT",
                            description = "Show those only whose description or id has TEXT in it, whatever the case.")
                    String filter) {
        list(
                Resource.of("nodes").with("filter", filter),
                options,
                "description",
                "state",
                "shards",
                "knows",
                "version",
                "url",
                "seenMsAgo",
                "id");
    }
}
