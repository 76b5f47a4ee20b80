package io.ringtable.cli.address;

import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import io.ringtable.cli.option.TimeOptions;
import io.ringtable.client.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Administers subscriptions. */
@Command(
        name = "subscription",
        description = "Lists, shows, empties and deletes subscriptions, and says why one is given nothing.")
public final class SubscriptionCommand extends ManagementCommand {
    private static final String ID = "Number of the subscription, as the list has it; behind -- if it is below 0.";

    @Command(
            name = "list",
            description = "Lists stored subscriptions, oldest first; a queue has one.",
            mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(names = "--address", paramLabel = "NAME", description = "Show those of the address only.")
                    String address,
            @Option(names = "--filter", paramLabel = "TEXT", description = FILTER) String filter,
            @Option(
                            names = "--volatile",
                            description = "List those that live in memory instead: of temporary queues, and not durable"
                                    + " ones of topics.")
                    boolean inMemory) {
        list(
                Resource.of("subscriptions")
                        .with("volatile", inMemory)
                        .with(
                                "address",
                                address == null ? null : Address.of(address).name())
                        .with("filter", filter),
                options,
                "id",
                "address",
                "clientId",
                "name",
                "shared",
                "selector",
                "owner",
                "owed",
                "owedInRing",
                "owedInBacklog",
                "consumers",
                "attended",
                "why");
    }

    @Command(name = "show", description = "Shows a subscription.", mixinStandardHelpOptions = true)
    void show(@Parameters(paramLabel = "ID", description = ID) long id) {
        show(broker().get(Resource.of("subscriptions", id)));
    }

    @Command(
            name = "why",
            description = "Says in one sentence why a subscription is given nothing, and what to do about it.",
            mixinStandardHelpOptions = true)
    void why(@Parameters(paramLabel = "ID", description = ID) long id) {
        JsonNode why = broker().get(Resource.of("subscriptions", id, "why"));
        say(
                why,
                why.path("reason").asString("") + ": " + why.path("text").asString("") + "; "
                        + why.path("cure").asString(""));
    }

    @Command(
            name = "purge",
            description = "Deletes all messages that a subscription is owed.",
            mixinStandardHelpOptions = true)
    void purge(@Parameters(paramLabel = "ID", description = ID) long id, @Mixin TimeOptions time) {
        purge(broker().get(Resource.of("subscriptions", id)).path("address").asString(), id, time);
    }

    @Command(
            name = "delete",
            description = "Deletes a topic's subscription with all messages that it is owed.",
            mixinStandardHelpOptions = true)
    void delete(
            @Parameters(paramLabel = "ID", description = ID) long id,
            @Option(names = "--force", description = "Delete the subscription even if somebody reads it.")
                    boolean force) {
        delete(Resource.of("subscriptions", id).with("force", force), "deleted subscription " + id);
    }
}
