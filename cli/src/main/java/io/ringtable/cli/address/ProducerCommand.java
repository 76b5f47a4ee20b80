package io.ringtable.cli.address;

import io.ringtable.cli.administration.ListOptions;
import io.ringtable.cli.administration.ManagementCommand;
import io.ringtable.cli.manage.Resource;
import io.ringtable.client.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Administers known producers: publishers whose messages have numbers, so that none is stored twice. */
@Command(name = "producer", description = "Lists and deletes known producers, whose messages have numbers.")
public final class ProducerCommand extends ManagementCommand {

    @Command(name = "list", description = "Lists the known producers.", mixinStandardHelpOptions = true)
    void list(
            @Mixin ListOptions options,
            @Option(names = "--address", paramLabel = "NAME", description = "Show those of the address only.")
                    String address,
            @Option(names = "--filter", paramLabel = "TEXT", description = FILTER) String filter) {
        list(
                Resource.of("producers")
                        .with(
                                "address",
                                address == null ? null : Address.of(address).name())
                        .with("filter", filter),
                options,
                "address",
                "name",
                "incarnation",
                "lastNumber",
                "usedAt",
                "owner",
                "attendedBy");
    }

    @Command(
            name = "delete",
            description = "Forgets a producer that publishes no more. If it comes back, its numbers begin anew, and"
                    + " messages that it sends again are stored twice.",
            mixinStandardHelpOptions = true)
    void delete(
            @Parameters(index = "0", paramLabel = "ADDRESS", description = "Name of its address.") String address,
            @Parameters(index = "1", paramLabel = "NAME", description = "Name of the producer.") String name) {
        delete(Resource.of("producers", Address.of(address).name(), name), "deleted producer " + name);
    }
}
