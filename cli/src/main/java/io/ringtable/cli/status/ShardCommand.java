package io.ringtable.cli.status;

import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the shards of a broker, each with a ring and addresses of its own. */
@Command(name = "shard", description = "Lists the shards of a broker: who serves them, and how full their rings are.")
public final class ShardCommand extends ManagementCommand {

    @Command(name = "list", description = "Lists the shards by number.", mixinStandardHelpOptions = true)
    void list(@Mixin ListOptions options) {
        list(
                Resource.of("shards"),
                options,
                "number",
                "state",
                "epoch",
                "addresses",
                "messages",
                "filled",
                "backlogMessages",
                "engine",
                "store",
                "reason");
    }
}
