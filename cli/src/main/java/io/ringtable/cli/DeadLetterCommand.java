package io.ringtable.cli;

import io.ringtable.cli.manage.Resource;
import io.ringtable.client.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Administers dead letters: messages that could not be delivered. */
@Command(
        name = "deadletter",
        description = "Counts dead letters by reason, origin or hour, and sends them back to where they came from.")
final class DeadLetterCommand extends ManagementCommand {

    /** Names how dead letters are counted as one types it. */
    enum By {
        reason,
        origin,
        hour
    }

    @Command(name = "list", description = "Counts the dead letters of a queue.", mixinStandardHelpOptions = true)
    void list(
            @Option(
                            names = "--queue",
                            paramLabel = "NAME",
                            description = "Name of the dead-letter queue; all unless given.")
                    String queue,
            @Option(
                            names = "--by",
                            paramLabel = "WHAT",
                            defaultValue = "reason",
                            description = "reason, origin or hour (default: ${DEFAULT-VALUE}).")
                    By by) {
        JsonNode found = broker().get(Resource.of("deadletters")
                .with("queue", queue == null ? null : Address.of(queue).name())
                .with("by", by));
        print(
                found.path("groups").valueStream().toList(),
                "queue",
                "origin",
                "reason",
                "hour",
                "count",
                "oldest",
                "newest");
    }

    @Command(
            name = "redrive",
            description = "Sends dead letters back to where they came from, or elsewhere: each once, also if the broker"
                    + " is stopped meanwhile.",
            mixinStandardHelpOptions = true)
    void redrive(
            @Option(
                            names = "--queue",
                            paramLabel = "NAME",
                            defaultValue = "DLQ",
                            description = "Name of the dead-letter queue (default: ${DEFAULT-VALUE}).")
                    String queue,
            @Option(
                            names = "--to",
                            paramLabel = "NAME",
                            description = "Name of the address that gets them, instead of where each came from.")
                    String to,
            @Option(
                            names = "--reason",
                            paramLabel = "TEXT",
                            description = "Take those only that died for this reason; TEXT* means all that begin so.")
                    String reason,
            @Option(
                            names = "--origin",
                            paramLabel = "NAME",
                            description = "Take those only that came from this address.")
                    String origin,
            @Mixin JobOptions options) {
        begin(
                options.job("redrive", Address.of(queue).name())
                        .with("to", to == null ? null : Address.of(to).name())
                        .with("reason", reason)
                        .with("origin", origin),
                options);
    }
}
