package io.ringtable.cli.message;

import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells the life of a message; {@code message explain} does the same. */
@Command(name = "explain", description = ExplainCommand.DESCRIPTION)
public final class ExplainCommand extends ManagementCommand {
    static final String DESCRIPTION =
            "Tells the life of a message: where it lies, who is owed it, and why they do not get it.";

    @Parameters(paramLabel = "SEQUENCE", description = MessageCommand.SEQUENCE)
    private long sequence;

    @Option(names = "--shard", paramLabel = "N", description = MessageCommand.SHARD)
    private Integer shard;

    @Option(names = "--subscription", paramLabel = "ID", description = MessageCommand.IN_MEMORY)
    private Long subscription;

    @Override
    public void run() {
        show(broker().get(resource(sequence, shard, subscription)));
    }

    /**
     * @param shard null where the broker has one
     * @param subscription that numbers the message, if it is in memory alone; else null
     */
    static Resource resource(long sequence, Integer shard, Long subscription) {
        return Resource.of("messages", sequence, "explain").with("shard", shard).with("subscription", subscription);
    }
}
