package io.ringtable.broker.home;

import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.home.directory.DirectoryEntry;
import io.ringtable.broker.home.move.CurrentMoves;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the directory say what the catalogues of all shards have. So a name that an earlier owner has left between two
 * steps comes to its end. A name that is not there loses its row, and one that is there may be used again.
 * <p>
 * Thread: any; {@link #run} that of the starter of the shards.
 */
final class DirectoryCheck {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryCheck.class);
    private static final int TRIES = 3;

    private final List<? extends Shard> shards;
    private final HomeLookup lookup;
    private final Directory directory;
    private final boolean keepsParts;

    DirectoryCheck(List<? extends Shard> shards, HomeLookup lookup, Directory directory) {
        this(shards, lookup, directory, false);
    }

    /** @param keepsParts whether rows stay of parts that another node has placed here, and this one has to make yet */
    private DirectoryCheck(List<? extends Shard> shards, HomeLookup lookup, Directory directory, boolean keepsParts) {
        this.shards = shards;
        this.lookup = lookup;
        this.directory = directory;
        this.keepsParts = keepsParts;
    }

    /** Returns the one that compares shards that are about to be served, among others that other nodes may own. */
    DirectoryCheck ofTaken() {
        return new DirectoryCheck(shards, lookup, directory, true);
    }

    /** Returns the one that compares a single shard before it is served, whatever is under way in the others. */
    static DirectoryCheck ofTaken(Shard taken, int number, int count, Directory directory) {
        List<Shard> alone = new ArrayList<>(count);
        for (int other = 0; other < count; other++) {
            alone.add(other == number ? taken : new AwayShard(taken, new Catalog(other), "it is not compared"));
        }
        return new DirectoryCheck(alone, new HomeLookup(alone, new CurrentMoves()), directory, true);
    }

    // ---- one name

    /** Returns what the catalogues have of the name. Where they have it as both kinds, that of the first counts. */
    DirectoryEntry address(String name) {
        List<Address> named = lookup.parts(name);
        List<Address> parts = named.isEmpty() ? named : lookup.parts(named.get(0));
        AddressKind kind = named.isEmpty() ? AddressKind.QUEUE : named.get(0).kind();
        return DirectoryEntry.address(
                name, kind, parts.stream().map(HomeParts::shardOf).toList());
    }

    DirectoryEntry subscription(String clientId, String name) {
        Subscription existing = lookup.find(clientId, name);
        return existing == null
                ? DirectoryEntry.subscription(clientId, name, "", List.of())
                : DirectoryEntry.subscription(
                        clientId,
                        name,
                        lookup.ownerOf(existing),
                        lookup.parts(existing).stream()
                                .map(part -> ShardIds.shardOf(part.id()))
                                .toList());
    }

    /**
     * Tells whether a shard died while a subscription was made or deleted in several. Then its name is marked, and the
     * parts of its topic do not have the same.
     */
    boolean isUnderWay(Subscription subscription) {
        return !lookup.isWhole(subscription)
                && directory
                        .of(
                                HomeRow.Scope.SUBSCRIPTION,
                                DirectoryEntry.subscriptionName(subscription.clientId(), subscription.name()))
                        .stream()
                        .anyMatch(row -> row.state() == HomeRow.State.GOING);
    }

    DirectoryEntry client(String clientId) {
        return DirectoryEntry.client(clientId, lookup.ownerOf(clientId));
    }

    /** Returns what is to be changed; rows of shards that are away stay, since nobody knows what those have stored. */
    List<HomeChange> changes(DirectoryEntry entry) {
        return changes(entry, HomeRow.State.HERE);
    }

    /** Returns what is to be changed before homes make an address. Other nodes make their parts when they see it. */
    List<HomeChange> placing(DirectoryEntry entry) {
        return AwayShard.isAnyShared(shards)
                ? entry.changes(directory.of(entry.scope(), entry.name()), HomeRow.State.HERE).stream()
                        .filter(change -> !change.isRemoval())
                        .toList()
                : changes(entry);
    }

    /** Returns what is to be changed so that the name has that state. */
    List<HomeChange> changes(DirectoryEntry entry, HomeRow.State state) {
        List<HomeRow> rows = directory.of(entry.scope(), entry.name());
        if (rows.stream().anyMatch(row -> row.isMoving() || row.isCondemned())) {
            return List.of(); // whoever moves the queue says where it lives, whoever deletes a part that it is gone
        }
        if (AwayShard.firstOf(shards) == null) {
            return entry.changes(rows, state);
        }
        if (isMarkedElsewhere(entry, rows)) {
            return List.of(); // whoever has marked the name says what there is, or all that have it delete it
        }
        if (entry.scope() == HomeRow.Scope.CLIENT && entry.shards().isEmpty()) {
            return mayBeOfOthers(entry.name()) ? List.of() : entry.changes(rows, state);
        }
        List<Integer> homes = Stream.concat(
                        entry.shards().stream().filter(this::isPresent),
                        rows.stream()
                                .filter(row -> !isPresent(row.shard()) || keepsParts && isOwing(entry, row, rows))
                                .map(HomeRow::shard))
                .toList();
        return new DirectoryEntry(entry.scope(), entry.name(), entry.kind(), entry.owner(), homes)
                .changes(rows, state).stream()
                        .filter(change -> isPresent(change.row().shard()))
                        .toList();
    }

    /** Tells whether a subscription that is here is being made or deleted in shards of other nodes too. */
    private boolean isMarkedElsewhere(DirectoryEntry entry, List<HomeRow> rows) {
        return entry.scope() == HomeRow.Scope.SUBSCRIPTION
                && !entry.shards().isEmpty()
                && rows.stream().anyMatch(row -> row.state() == HomeRow.State.GOING)
                && rows.stream()
                        .anyMatch(
                                row -> keepsParts ? !isPresent(row.shard()) : AwayShard.isShared(shards, row.shard()));
    }

    /** Tells whether shards that are away may have subscriptions of a client, which keep its id for its user. */
    private boolean mayBeOfOthers(String clientId) {
        String prefix = DirectoryEntry.subscriptionPrefix(clientId);
        return keepsParts
                || prefix == null
                || !AwayShard.isAnyShared(shards)
                || directory.all().stream()
                        .map(rows -> rows.get(0))
                        .anyMatch(row -> row.scope() == HomeRow.Scope.SUBSCRIPTION
                                && row.name().startsWith(prefix));
    }

    /** Tells whether the row is of a part that its shard has not made yet, of an address that others have parts of. */
    private static boolean isOwing(DirectoryEntry entry, HomeRow row, List<HomeRow> rows) {
        return row.scope() == HomeRow.Scope.ADDRESS
                && row.state() == HomeRow.State.HERE
                && rows.size() > 1
                && !entry.shards().contains(row.shard());
    }

    private boolean isPresent(int shard) {
        return AwayShard.of(shards, shard) == null;
    }

    /**
     * Makes the directory say what the catalogues have, now that a home has answered. A failure leaves the rest to the
     * next change of the name, or to the next start.
     */
    CompletionStage<Void> agree(Supplier<Stream<DirectoryEntry>> entries) {
        return directory
                .change(() ->
                        entries.get().flatMap(entry -> changes(entry).stream()).toList())
                .exceptionally(failure -> {
                    LOG.debug("the directory is put right later", failure);
                    return null;
                });
    }

    /**
     * Makes the directory say what the catalogues have, once a home has answered, and passes its answer on. Where the
     * refusal leaves open what the home has done, the directory keeps the name where it is: the next owner compares.
     */
    <T> CompletionStage<T> afterwards(CompletionStage<T> home, Supplier<Stream<DirectoryEntry>> entries) {
        return home.handle((answer, failure) -> failure)
                .thenCompose(
                        failure -> leavesOpen(failure) ? CompletableFuture.<Void>completedFuture(null) : agree(entries))
                .thenCompose(agreed -> home);
    }

    static boolean leavesOpen(Throwable failure) {
        if (failure == null) {
            return false;
        }
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return !(cause instanceof Refusal.Refused refused) || refused.refusal().reason() == Refusal.Reason.UNAVAILABLE;
    }

    // ---- all of them

    /**
     * Compares everything, before anybody uses the shards. A database that had one shard gets its rows here.
     *
     * @throws StoreFailure if the directory cannot be changed
     */
    void run() {
        List<DirectoryEntry> entries = all();
        for (int tries = 0; ; tries++) {
            List<HomeChange> changes =
                    entries.stream().flatMap(entry -> changes(entry).stream()).toList();
            if (changes.isEmpty() || make(changes)) {
                return;
            }
            if (tries == TRIES) {
                LOG.warn("another node changes the directory as well: its changes are compared at the next start");
                return;
            }
        }
    }

    private List<DirectoryEntry> all() {
        TreeSet<String> addresses = new TreeSet<>();
        TreeSet<String> clients = new TreeSet<>();
        Map<String, DirectoryEntry> subscriptions = new HashMap<>();
        Set<String> underWay = new HashSet<>(); // their rows stay until somebody settles them
        for (Address address : lookup.addresses()) {
            if (addresses.add(address.name())) {
                tellOfKinds(lookup.parts(address.name()));
            }
            for (Subscription each : durable(lookup, address)) {
                if (isUnderWay(each)) {
                    underWay.add(DirectoryEntry.subscriptionName(each.clientId(), each.name()));
                } else {
                    DirectoryEntry entry = subscription(each.clientId(), each.name());
                    subscriptions.put(entry.name(), entry);
                }
                if (!each.clientId().isEmpty()) {
                    clients.add(each.clientId());
                }
            }
        }
        List<DirectoryEntry> gone = new ArrayList<>();
        for (List<HomeRow> rows : directory.all()) {
            HomeRow row = rows.get(0);
            if (!row.scope().isOfShard()) {
                continue;
            }
            if (row.scope() == HomeRow.Scope.CLIENT) {
                clients.add(row.name()); // perhaps of one whose subscriptions went with their topic
            } else if (!(row.scope() == HomeRow.Scope.ADDRESS
                    ? addresses.contains(row.name())
                    : subscriptions.containsKey(row.name()) || underWay.contains(row.name()))) {
                gone.add(DirectoryEntry.gone(row));
            }
        }
        return Stream.of(
                        addresses.stream().map(this::address),
                        subscriptions.values().stream(),
                        clients.stream().map(this::client),
                        gone.stream())
                .flatMap(entries -> entries)
                .toList();
    }

    /** Returns the subscriptions of a topic that have a row each. */
    static List<Subscription> durable(CatalogLookup lookup, Address topic) {
        return topic.isQueue()
                ? List.of()
                : lookup.subscriptionsOf(topic).stream()
                        .filter(each -> each.isStored() && !each.name().equals(Subscription.RETENTION))
                        .toList();
    }

    private static void tellOfKinds(List<Address> parts) {
        if (parts.stream().map(Address::kind).distinct().count() > 1) {
            LOG.error(
                    "RT-4536 '{}' is stored in the shards {}, as a queue in some and as a topic in others: clients find"
                            + " {} alone. Restore a backup of all shards of one moment, or delete the address: all of"
                            + " them go",
                    Printable.value(parts.get(0).name()),
                    parts.stream().map(HomeParts::shardOf).toList(),
                    parts.get(0));
        }
    }

    /** Makes changes in portions. @return false if one of them met a change by another node */
    private boolean make(List<HomeChange> changes) {
        boolean all = true;
        for (int from = 0; from < changes.size(); from += DirectoryStore.CHANGES_MAX) {
            List<HomeChange> portion =
                    changes.subList(from, Math.min(changes.size(), from + DirectoryStore.CHANGES_MAX));
            try {
                all &= directory.alter(portion);
            } catch (StoreFailure failure) {
                if (failure.kind() != StoreFailure.Kind.REFUSED) {
                    throw failure;
                }
                portion.forEach(this::makeAlone);
            }
        }
        return all;
    }

    /** Makes a change whose neighbour the table refuses, such as a name that its collation takes for another one. */
    private void makeAlone(HomeChange change) {
        try {
            directory.alter(List.of(change));
        } catch (StoreFailure failure) {
            if (failure.kind() != StoreFailure.Kind.REFUSED) {
                throw failure;
            }
            LOG.warn("the directory does not take {}: {}", change.row(), failure.getMessage());
        }
    }
}
