package io.ringtable.cli.address;

import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.manage.ManagementClient;
import io.ringtable.cli.manage.Resource;
import io.ringtable.cli.option.TimeOptions;
import io.ringtable.client.Address;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Administers queues and topics. */
@Command(name = "address", description = "Lists, shows, creates, deletes, empties and moves queues and topics.")
public final class AddressCommand extends ManagementCommand {
    private static final String NAME = "Name of the address; queue:// or topic:// before it must fit.";

    /** Names a kind as one types it. */
    enum Kind {
        queue,
        topic
    }

    @Command(name = "list", description = "Lists queues and topics by name.", mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(names = "--kind", paramLabel = "KIND", description = "queue or topic; both unless given.")
                    Kind kind,
            @Option(names = "--filter", paramLabel = "TEXT", description = FILTER) String filter,
            @Option(names = "--shard", paramLabel = "N", description = "Show those only that live in the shard.")
                    Integer shard) {
        list(
                Resource.of("addresses")
                        .with("kind", kind)
                        .with("filter", filter)
                        .with("shard", shard),
                options,
                "name",
                "kind",
                "messages",
                "bytes",
                "subscriptions",
                "publishers",
                "consumers",
                "links",
                "shards",
                "away",
                "moving/from",
                "moving/to",
                "moving/waitsFor",
                "retained/messages",
                "stuck");
    }

    @Command(name = "show", description = "Shows a queue or a topic.", mixinStandardHelpOptions = true)
    void show(@Parameters(paramLabel = "NAME", description = NAME) String name) {
        show(existing(name));
    }

    @Command(
            name = "create",
            description = "Creates a queue or a topic, unless it exists already.",
            mixinStandardHelpOptions = true)
    void create(
            @Parameters(paramLabel = "ADDRESS", description = "queue://NAME or topic://NAME; a plain NAME is a queue.")
                    String text) {
        Address address = Address.of(text);
        ManagementClient.Made made = broker().make(
                        Resource.of("addresses", address.name()),
                        Map.of("kind", address.kind().name()));
        say(made.thing(), made.isNew() ? "created " + address : address + " exists already");
    }

    @Command(
            name = "delete",
            description = "Deletes a queue or a topic that is not in use.",
            mixinStandardHelpOptions = true)
    void delete(
            @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Option(
                            names = "--force",
                            description = "Delete the address even if it is in use: its messages and durable"
                                    + " subscriptions go too, and attached links are detached.")
                    boolean force) {
        String plain = checked(name);
        delete(Resource.of("addresses", plain).with("force", force), "deleted " + name);
    }

    @Command(
            name = "purge",
            description = "Deletes all messages that wait in a queue, or for any subscription of a topic.",
            mixinStandardHelpOptions = true)
    void purge(@Parameters(paramLabel = "NAME", description = NAME) String text, @Mixin TimeOptions time) {
        JsonNode address = existing(text);
        String name = address.path("name").asString();
        if (address.path("kind").asString().equalsIgnoreCase(Address.Kind.QUEUE.name())) {
            purge(name, null, time);
            return;
        }
        broker().list(Resource.of("subscriptions").with("address", name), Integer.MAX_VALUE)
                .items()
                .forEach(subscription -> purge(name, subscription.path("id").asLong(), time));
    }

    @Command(
            name = "move",
            description =
                    "Moves a queue or a topic to another shard. Publishers go there at once; consumers get what is left"
                            + " first.",
            mixinStandardHelpOptions = true)
    void move(
            @Parameters(index = "0", paramLabel = "NAME", description = NAME) String name,
            @Parameters(index = "1", paramLabel = "SHARD", description = "Number of the shard.") int shard,
            @Option(
                            names = "--force",
                            description = "Move it even if addresses of its affinity live elsewhere: no"
                                    + " transaction has both any more.")
                    boolean force) {
        String plain = checked(name);
        say(
                broker().post(
                                Resource.of("addresses", plain, "move")
                                        .with("shard", shard)
                                        .with("force", force),
                                null),
                name + " moves to shard " + shard + "; `ringtable address show` tells once it is there");
    }

    /** Returns the name of an address. Where its kind stands before it, there must be an address of this kind. */
    private String checked(String text) {
        String name = Address.of(text).name();
        if (!name.equals(text)) {
            existing(text);
        }
        return name;
    }

    private JsonNode existing(String text) {
        Address wanted = Address.of(text);
        JsonNode found = broker().get(Resource.of("addresses", wanted.name()));
        String kind = found.path("kind").asString("");
        if (!wanted.name().equals(text) && !kind.equalsIgnoreCase(wanted.kind().name())) {
            throw new CommandFailed(
                    ExitCode.FAILED, "RT-6046", wanted + " does not exist: '" + wanted.name() + "' is a " + kind);
        }
        return found;
    }
}
