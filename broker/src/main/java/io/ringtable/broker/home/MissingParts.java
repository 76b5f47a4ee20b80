package io.ringtable.broker.home;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the parts of each address with what its policy says, when a node starts. An empty one gets those that it
 * lacks. One with messages keeps what it has, since its keys would move: the log says so.
 * <p>
 * Thread: the starter of the shards, before anybody uses them.
 */
final class MissingParts {
    private static final Logger LOG = LoggerFactory.getLogger(MissingParts.class);

    private final HomeLookup lookup;
    private final HomeParts parts;
    private final HomeAddresses addresses;

    MissingParts(HomeLookup lookup, HomeParts parts, HomeAddresses addresses) {
        this.lookup = lookup;
        this.parts = parts;
        this.addresses = addresses;
    }

    /** Returns what waits for all parts. A part that cannot be made is missing until the next start. */
    CompletionStage<Void> complete() {
        Map<String, List<Address>> byName = lookup.addresses().stream()
                .filter(address -> !address.isTemporary())
                .collect(Collectors.groupingBy(Address::name, TreeMap::new, Collectors.toList()));
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (Map.Entry<String, List<Address>> each : byName.entrySet()) {
            if (!parts.isDestination(each.getKey())) { // it gets its parts from every shard
                all = all.thenCompose(done ->
                        complete(each.getKey(), lookup.parts(each.getValue().get(0))));
            }
        }
        return all;
    }

    private CompletionStage<Void> complete(String name, List<Address> has) {
        int wanted = parts.wanted(name);
        if (wanted == has.size() || addresses.moves(name)) {
            return CompletableFuture.completedFuture(null);
        }
        long owed = has.stream().mapToLong(part -> part.quota().messages()).sum();
        if (wanted < has.size() || owed > 0) {
            tell(has, wanted, owed);
            return CompletableFuture.completedFuture(null);
        }
        return addresses.complete(name, has).handle((made, failure) -> {
            if (failure != null) {
                tell(has, wanted, owed);
            }
            return null;
        });
    }

    private static void tell(List<Address> has, int wanted, long owed) {
        LOG.warn(
                "RT-4526 {} has {} parts and {} messages, and its policy says parts={}: it stays as it is. Empty and"
                        + " delete it, and the next link makes it anew",
                Printable.text(has.get(0).toString()),
                has.size(),
                owed,
                wanted);
    }
}
