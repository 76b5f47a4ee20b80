package io.ringtable.cli.message;

import io.ringtable.cli.administration.JobOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import io.ringtable.client.Address;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Administers dead letters: messages that could not be delivered. */
@Command(
        name = "deadletter",
        description = "Counts dead letters by reason and origin, and sends them back to where they came from.")
public final class DeadLetterCommand extends ManagementCommand {

    /** Names how dead letters are counted as one types it. */
    enum By {
        reason,
        origin
    }

    @Command(
            name = "list",
            description = "Counts dead letters and expired messages by queue, origin and reason.",
            mixinStandardHelpOptions = true)
    void list(
            @Option(
                            names = "--queue",
                            paramLabel = "NAME",
                            description = "Name of the dead-letter queue; all that policies name unless given.")
                    String queue,
            @Option(
                            names = "--by",
                            paramLabel = "WHAT",
                            description = "reason or origin alone, with the counts of all queues together.")
                    By by,
            @Option(names = "--hourly", description = "Count those of each hour apart, the newest hour first.")
                    boolean hourly,
            @Option(
                            names = "--max",
                            paramLabel = "N",
                            description = "Look at N messages, 1 to 1000000; the broker's default is 100000.")
                    Long max) {
        JsonNode found = broker().get(Resource.of("deadletters")
                .with("queue", queue == null ? null : Address.of(queue).name())
                .with("hourly", hourly)
                .with("max", max));
        List<JsonNode> groups = found.path("groups").valueStream().toList();
        print(
                by == null ? groups : merged(groups, by.name()),
                "queue",
                "hour",
                "origin",
                "reason",
                "count",
                "oldest",
                "newest");
        if (!found.path("complete").asBoolean(true)) {
            note(String.format(
                    Locale.ROOT,
                    "There are more: %,d messages were looked at; raise --max.",
                    found.path("letters").asLong()));
        }
    }

    /**
     * Adds up groups of one hour that have the same reason or origin. The newest hour comes first, groups without an
     * hour last; within an hour, those that count most come first.
     */
    private static List<JsonNode> merged(List<JsonNode> groups, String by) {
        Map<String, ObjectNode> merged = new LinkedHashMap<>();
        for (JsonNode group : groups) {
            String hour = group.path("hour").asString("");
            merged.merge(hour + " " + group.path(by).asString(""), only(group, by), DeadLetterCommand::sum);
        }
        List<JsonNode> sorted = new ArrayList<>(merged.values());
        sorted.sort(Comparator.<JsonNode, String>comparing(
                        group -> group.path("hour").asString(""), Comparator.reverseOrder())
                .thenComparing(group -> -group.path("count").asLong()));
        return sorted;
    }

    private static ObjectNode only(JsonNode group, String by) {
        ObjectNode only = JsonMapper.shared().createObjectNode();
        if (group.hasNonNull("hour")) {
            only.set("hour", group.path("hour"));
        }
        List.of(by, "count", "oldest", "newest").forEach(field -> only.set(field, group.path(field)));
        return only;
    }

    private static ObjectNode sum(ObjectNode one, ObjectNode other) {
        boolean older = time(other, "oldest").isBefore(time(one, "oldest"));
        boolean newer = time(other, "newest").isAfter(time(one, "newest"));
        one.put("count", one.path("count").asLong() + other.path("count").asLong());
        one.set("oldest", (older ? other : one).path("oldest"));
        one.set("newest", (newer ? other : one).path("newest"));
        return one;
    }

    private static Instant time(JsonNode group, String field) {
        return Instant.parse(group.path(field).asString());
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
