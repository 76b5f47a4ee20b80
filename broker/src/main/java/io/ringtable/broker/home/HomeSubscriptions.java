package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.ClientOwners;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.home.directory.DirectoryEntry;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Makes durable subscriptions and deletes them, each in the home of its topic. A client's subscriptions may live in
 * several shards, so the directory has the names of all (ADR 47). A pair of client id and name has one home, a client
 * id one owner. Subscriptions of one owner are made one by one.
 * <p>
 * Thread: any. A subscription that exists is found without the directory.
 */
final class HomeSubscriptions {
    private final List<? extends Shard> shards;
    private final HomeLookup lookup;
    private final Directory directory;
    private final DirectoryCheck check;
    private final InTurns owners = new InTurns(); // by the key of ClientOwners

    HomeSubscriptions(List<? extends Shard> shards, HomeLookup lookup, Directory directory, DirectoryCheck check) {
        this.shards = shards;
        this.lookup = lookup;
        this.directory = directory;
        this.check = check;
    }

    private CatalogMailbox of(long id) {
        return shards.get(ShardIds.shardOf(id)).catalog();
    }

    /**
     * Finds or creates a subscription. One of the same client and name that reads a topic with another home is deleted
     * there first. The user who owns the client id may have subscriptions in other shards only.
     *
     * @param ask the home of the topic
     */
    CompletionStage<Subscription> make(
            SubscriptionUser user,
            Address topic,
            String clientId,
            String name,
            Function<CatalogMailbox, CompletionStage<Subscription>> ask) {
        return owners.next(ClientOwners.keyOf(clientId, name), () -> {
            Subscription existing = lookup.find(clientId, name);
            String owner = ownerOf(clientId, existing);
            user.check(clientId, name, existing, owner);
            if (topic.isTemporary() || name.equals(Subscription.RETENTION)) {
                return ask.apply(of(topic.id())); // which refuses, and says why
            }
            refuseWhileAway(clientId, name, existing, owner == null ? user.name() : owner);
            boolean isElsewhere = existing != null && ShardIds.shardOf(existing.id()) != HomeParts.shardOf(topic);
            CompletionStage<Void> free = isElsewhere
                    ? of(existing.id()).unsubscribe(user, existing)
                    : CompletableFuture.completedFuture(null);
            return free.thenCompose(done -> place(topic, clientId, name, owner == null ? user.name() : owner))
                    .thenCompose(placed -> check.afterwards(ask.apply(of(topic.id())), () -> entries(clientId, name)));
        });
    }

    /**
     * Refuses a subscription that a shard which is away may have: the directory says so, or that the client id belongs
     * to another user there.
     */
    private void refuseWhileAway(String clientId, String name, Subscription existing, String owner) {
        if (existing != null) {
            return; // its home answers
        }
        AwayShard any = AwayShard.firstOf(shards);
        boolean isElsewhere =
                directory.of(HomeRow.Scope.SUBSCRIPTION, DirectoryEntry.subscriptionName(clientId, name)).stream()
                        .anyMatch(row -> AwayShard.of(shards, row.shard()) != null);
        boolean isOthers = directory.of(HomeRow.Scope.CLIENT, clientId).stream()
                .anyMatch(row -> !row.owner().equals(owner));
        if (any != null && (isElsewhere || isOthers)) {
            throw any.refusesNew("subscription '" + name + "'");
        }
    }

    /** Returns why nobody knows whether there is such a subscription; null if the shards know that are there. */
    Refusal refusalFor(String clientId, String name) {
        if (lookup.find(clientId, name) == null) {
            for (HomeRow row :
                    directory.of(HomeRow.Scope.SUBSCRIPTION, DirectoryEntry.subscriptionName(clientId, name))) {
                AwayShard away = AwayShard.of(shards, row.shard());
                if (away != null) {
                    return away.refusal();
                }
            }
        }
        return null;
    }

    /** Returns the user who owns the client id or, without one, the global subscription; null = nobody yet. */
    private String ownerOf(String clientId, Subscription existing) {
        if (clientId.isEmpty()) {
            return existing == null ? null : lookup.ownerOf(existing);
        }
        return lookup.ownerOf(clientId);
    }

    /**
     * Gives the subscription its home in the directory, and the client id its owner. Rows that say something else are
     * left from an earlier owner of the shards: no catalogue has it.
     */
    private CompletionStage<Void> place(Address topic, String clientId, String name, String owner) {
        List<DirectoryEntry> wanted = new ArrayList<>();
        wanted.add(DirectoryEntry.subscription(clientId, name, owner, List.of(HomeParts.shardOf(topic))));
        if (!clientId.isEmpty()) {
            wanted.add(DirectoryEntry.client(clientId, owner));
        }
        return directory.change(() ->
                wanted.stream().flatMap(entry -> check.changes(entry).stream()).toList());
    }

    private Stream<DirectoryEntry> entries(String clientId, String name) {
        DirectoryEntry subscription = check.subscription(clientId, name);
        return clientId.isEmpty() ? Stream.of(subscription) : Stream.of(subscription, check.client(clientId));
    }

    /** Deletes a subscription. The directory marks its name first, and hears at last what there is now. */
    CompletionStage<Void> delete(SubscriptionUser user, Subscription subscription) {
        String clientId = subscription.clientId();
        String name = subscription.name();
        return owners.next(
                ClientOwners.keyOf(clientId, name),
                () -> directory
                        .change(() -> going(clientId, name))
                        .thenCompose(marked -> check.afterwards(
                                of(subscription.id()).unsubscribe(user, subscription), () -> entries(clientId, name))));
    }

    private List<HomeChange> going(String clientId, String name) {
        return directory.of(HomeRow.Scope.SUBSCRIPTION, DirectoryEntry.subscriptionName(clientId, name)).stream()
                .filter(row -> row.state() != HomeRow.State.GOING)
                .map(row -> HomeChange.put(row.with(HomeRow.State.GOING)))
                .toList();
    }

    /** Tells the directory what there is of a subscription whose topic has been deleted. */
    void agree(Subscription subscription) {
        String clientId = subscription.clientId();
        String name = subscription.name();
        owners.next(ClientOwners.keyOf(clientId, name), () -> check.agree(() -> entries(clientId, name)));
    }
}
