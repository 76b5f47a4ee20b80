package io.ringtable.cli.status;

import io.ringtable.cli.administration.Fields;
import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows the shards of a broker, each with a ring and addresses of its own, and moves them between nodes. */
@Command(name = "shard", description = "Lists the shards of a broker, and moves them between its nodes.")
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
                "node",
                "url",
                "reason");
    }

    @Command(
            name = "move",
            description = "Has a shard go to another node of the cluster. The node that has it stops it in order.",
            mixinStandardHelpOptions = true)
    void move(
            @Parameters(paramLabel = "SHARD", description = "Number of the shard, from 0.") int shard,
            @Parameters(paramLabel = "NODE", description = "Id or description of the node, as node list has it.")
                    String node) {
        say(
                broker().post(Resource.of("shards", shard, "move"), new Fields().with("node", node)),
                "shard " + shard + " is offered to " + node);
    }
}
