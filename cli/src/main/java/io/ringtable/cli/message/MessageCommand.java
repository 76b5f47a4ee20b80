package io.ringtable.cli.message;

import io.ringtable.cli.administration.JobOptions;
import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.manage.Resource;
import io.ringtable.cli.option.SinceTime;
import io.ringtable.client.Address;
import java.time.Instant;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Administers single messages. */
@Command(name = "message", description = "Finds, shows, explains, sends, copies, moves and deletes messages.")
public final class MessageCommand extends ManagementCommand {
    private static final String ADDRESS = "Name of the address; queue:// or topic:// may stand before it.";
    static final String SEQUENCE = "Number of the message, as the list has it.";
    static final String SHARD = "Number of the message's shard, where the list has one.";
    private static final String SUBSCRIPTION = "Number of the subscription, of a topic; 'subscription list' has it.";
    static final String IN_MEMORY =
            "Number of the subscription that the list names, if the message is in memory alone.";

    @Command(
            name = "list",
            description = "Finds messages of a queue, or of a topic's subscription, and leaves them where they are.",
            mixinStandardHelpOptions = true)
    void list(
            @Parameters(paramLabel = "ADDRESS", description = ADDRESS) String address,
            @Mixin ListOptions options,
            @Option(names = "--subscription", paramLabel = "ID", description = SUBSCRIPTION) Long subscription,
            @Option(
                            names = "--selector",
                            paramLabel = "TEXT",
                            description = "Show those that the selector of Jakarta Messaging wants, such as \"country ="
                                    + " 'PT'\".")
                    String selector,
            @Option(names = "--id", paramLabel = "ID", description = "Show those with this message id.") String id,
            @Option(
                            names = "--since",
                            paramLabel = "TIME",
                            converter = SinceTime.class,
                            description = "Show those published since TIME: 2026-11-21T10:00:00Z, or how long ago: 90s,"
                                    + " 30m, 2h, 7d.")
                    Instant since,
            @Option(
                            names = "--until",
                            paramLabel = "TIME",
                            converter = SinceTime.class,
                            description = "Show those published before TIME.")
                    Instant until) {
        list(
                Resource.of("addresses", Address.of(address).name(), "messages")
                        .with("subscription", subscription)
                        .with("selector", selector)
                        .with("id", id)
                        .with("since", since)
                        .with("until", until),
                options,
                "sequence",
                "shard",
                "subscription",
                "messageId",
                "publishedAt",
                "publishedBy",
                "expiresAt",
                "deliverAt",
                "priority",
                "bytes",
                "failures",
                "contentType",
                "subject",
                "origin",
                "reason",
                "preview");
    }

    @Command(
            name = "show",
            description = "Shows a message decoded: headers, properties and body.",
            mixinStandardHelpOptions = true)
    void show(
            @Parameters(paramLabel = "SEQUENCE", description = SEQUENCE) long sequence,
            @Option(names = "--shard", paramLabel = "N", description = SHARD) Integer shard,
            @Option(names = "--subscription", paramLabel = "ID", description = IN_MEMORY) Long subscription) {
        show(broker().get(message(sequence, shard).with("subscription", subscription)), "json");
    }

    @Command(name = "explain", description = ExplainCommand.DESCRIPTION, mixinStandardHelpOptions = true)
    void explain(
            @Parameters(paramLabel = "SEQUENCE", description = SEQUENCE) long sequence,
            @Option(names = "--shard", paramLabel = "N", description = SHARD) Integer shard,
            @Option(names = "--subscription", paramLabel = "ID", description = IN_MEMORY) Long subscription) {
        show(broker().get(ExplainCommand.resource(sequence, shard, subscription)));
    }

    @Command(name = "send", description = "Sends a message.", mixinStandardHelpOptions = true)
    void send(
            @Parameters(paramLabel = "ADDRESS", description = ADDRESS) String address, @Mixin MessageOptions message) {
        String name = Address.of(address).name();
        say(broker().post(Resource.of("addresses", name, "messages"), message.fields()), "sent to " + name);
    }

    @Command(
            name = "copy",
            description = "Sends a copy of a message, with parts replaced if you say so. An empty value leaves a header"
                    + " or property out.",
            mixinStandardHelpOptions = true)
    void copy(
            @Parameters(paramLabel = "SEQUENCE", description = SEQUENCE) long sequence,
            @Option(names = "--shard", paramLabel = "N", description = SHARD) Integer shard,
            @Option(names = "--to", required = true, paramLabel = "NAME", description = "Address that gets the copy.")
                    String to,
            @Option(names = "--subscription", paramLabel = "ID", description = IN_MEMORY) Long subscription,
            @Mixin MessageOptions changes) {
        String name = Address.of(to).name();
        JsonNode answer = broker().post(
                        Resource.of("messages", sequence, "copy")
                                .with("shard", shard)
                                .with("subscription", subscription),
                        changes.fields().with("to", name));
        say(answer, "copied message " + sequence + " to " + name);
    }

    @Command(
            name = "delete",
            description = "Deletes a message, for all who are owed it or for one.",
            mixinStandardHelpOptions = true)
    void delete(
            @Parameters(paramLabel = "SEQUENCE", description = SEQUENCE) long sequence,
            @Option(names = "--shard", paramLabel = "N", description = SHARD) Integer shard,
            @Option(
                            names = "--subscription",
                            paramLabel = "ID",
                            description = "Number of the subscription that is owed it no more; below 0 if the message"
                                    + " is in memory alone, as the list names it.")
                    Long subscription) {
        JsonNode answer = broker().delete(message(sequence, shard).with("subscription", subscription));
        JsonNode kept = answer.path("kept");
        if (!kept.isEmpty()) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6051",
                    "message " + sequence + " is deleted for "
                            + answer.path("removed").asLong()
                            + " subscriptions and stays with others: "
                            + kept.valueStream().map(JsonNode::asString).collect(Collectors.joining("; ")));
        }
        say(answer, "deleted message " + sequence);
    }

    private static Resource message(long sequence, Integer shard) {
        return Resource.of("messages", sequence).with("shard", shard);
    }

    @Command(
            name = "move",
            description = "Moves messages of a queue, or of a topic's subscription, to another address.",
            mixinStandardHelpOptions = true)
    void move(
            @Parameters(paramLabel = "FROM", description = ADDRESS) String from,
            @Option(names = "--to", required = true, paramLabel = "NAME", description = "Address that gets them.")
                    String to,
            @Option(names = "--subscription", paramLabel = "ID", description = SUBSCRIPTION) Long subscription,
            @Mixin JobOptions options) {
        begin(
                options.job("move", Address.of(from).name())
                        .with("subscription", subscription)
                        .with("to", Address.of(to).name()),
                options);
    }
}
