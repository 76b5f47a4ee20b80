package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.ClientOwners;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.home.directory.Directory;
import io.ringtable.broker.home.directory.DirectoryEntry;
import io.ringtable.broker.home.directory.HeldNames;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.directory.HomeRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Makes durable subscriptions and deletes them, each in the home of its topic, or in all of its parts
 * ({@link SubscriptionParts}). A client's subscriptions may live in several shards, so the directory has the names of
 * all (ADR 47). A pair of client id and name has one home or one topic, a client id one owner. Subscriptions of one
 * owner are made one by one.
 * <p>
 * Thread: any. A subscription that exists is found without the directory.
 */
final class HomeSubscriptions {
    private final List<? extends Shard> shards;
    private final HomeLookup lookup;
    private final Directory directory;
    private final DirectoryCheck check;
    private final SubscriptionParts parts;
    private final InTurns owners = new InTurns(); // by the key of ClientOwners
    private final InTurns volatiles = new InTurns(); // by client id and name
    private final HeldNames names; // of volatile ones; null if no other node serves

    /** @param hasNodes whether other nodes may serve */
    HomeSubscriptions(
            List<? extends Shard> shards,
            HomeLookup lookup,
            Directory directory,
            DirectoryCheck check,
            boolean hasNodes) {
        this.names = hasNodes ? new HeldNames(directory) : null;
        this.shards = shards;
        this.lookup = lookup;
        this.directory = directory;
        this.check = check;
        this.parts = new SubscriptionParts(shards, lookup, directory, check);
    }

    private CatalogMailbox of(long id) {
        return shards.get(ShardIds.shardOf(id)).catalog();
    }

    /**
     * Finds or creates a subscription. One of the same client and name that reads a topic with another home is deleted
     * there first. The user who owns the client id may have subscriptions in other shards only.
     */
    CompletionStage<Subscription> make(Address topic, SubscriptionParts.Terms terms) {
        return owners.next(ClientOwners.keyOf(terms.clientId(), terms.name()), () -> {
            boolean mayBeElsewhere =
                    AwayShard.isAnyShared(shards) && lookup.find(terms.clientId(), terms.name()) == null;
            return mayBeElsewhere
                    ? directory
                            .refresh()
                            .exceptionally(away -> null) // whoever makes a name asks the directory once more
                            .thenCompose(fresh -> makeKnown(topic, terms))
                    : makeKnown(topic, terms);
        });
    }

    private CompletionStage<Subscription> makeKnown(Address topic, SubscriptionParts.Terms terms) {
        String clientId = terms.clientId();
        String name = terms.name();
        Subscription existing = lookup.find(clientId, name);
        String known = ownerOf(clientId, existing);
        terms.user().check(clientId, name, existing, known);
        boolean isGone = lookup.find(topic.id()) == null;
        if (isGone || topic.isTemporary() || name.equals(Subscription.RETENTION)) {
            return terms.ask(of(topic.id()), topic); // which refuses, and says why
        }
        String owner = known == null ? terms.user().name() : known;
        refuseWhileAway(clientId, name, existing, owner);
        boolean hasParts = lookup.parts(topic).size() > 1
                || existing != null && lookup.parts(existing.address()).size() > 1;
        return hasParts ? parts.make(topic, terms, existing, owner) : makeAtHome(topic, terms, existing, owner);
    }

    private CompletionStage<Subscription> makeAtHome(
            Address topic, SubscriptionParts.Terms terms, Subscription existing, String owner) {
        boolean isElsewhere = existing != null && ShardIds.shardOf(existing.id()) != HomeParts.shardOf(topic);
        CompletionStage<Void> free =
                isElsewhere ? terms.makeWay(of(existing.id()), existing) : CompletableFuture.completedFuture(null);
        return free.thenCompose(done -> parts.place(List.of(topic), terms, owner, HomeRow.State.HERE))
                .thenCompose(placed -> check.afterwards(
                        terms.ask(of(topic.id()), topic), () -> parts.entries(terms.clientId(), terms.name())));
    }

    /**
     * Refuses a subscription that a shard which is away may have: the directory says so, or that the client id belongs
     * to another user there.
     */
    private void refuseWhileAway(String clientId, String name, Subscription existing, String owner) {
        if (existing != null) {
            return; // its home answers
        }
        parts.refuseElsewhere(clientId, name);
        AwayShard any = AwayShard.firstOf(shards);
        boolean isOthers = directory.of(HomeRow.Scope.CLIENT, clientId).stream()
                .anyMatch(row -> !row.owner().equals(owner));
        if (any != null && isOthers) {
            throw any.refusesNew("subscription '" + name + "'");
        }
    }

    /** Returns why nobody knows whether there is such a subscription; null if the shards know that are there. */
    Refusal refusalFor(String clientId, String name) {
        AwayShard away = elsewhere(clientId, name);
        return away == null ? null : away.refusal();
    }

    /** Returns the shard that is away and has the subscription, as the directory says; null if there is none. */
    AwayShard elsewhere(String clientId, String name) {
        if (lookup.find(clientId, name) == null) {
            for (HomeRow row :
                    directory.of(HomeRow.Scope.SUBSCRIPTION, DirectoryEntry.subscriptionName(clientId, name))) {
                AwayShard away = AwayShard.of(shards, row.shard());
                if (away != null) {
                    return away;
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
        String known = lookup.ownerOf(clientId);
        return known == null && AwayShard.isAnyShared(shards) ? ownerElsewhere(clientId) : known;
    }

    /** Returns the user who owns the client id by the directory: the subscriptions may be at another node. */
    private String ownerElsewhere(String clientId) {
        return directory.of(HomeRow.Scope.CLIENT, clientId).stream()
                .map(HomeRow::owner)
                .findFirst()
                .orElse(null);
    }

    /**
     * Finds or creates a shared volatile subscription, in each part of its topic under the same name. Refused while
     * links read one of that name from another topic, at any node.
     */
    CompletionStage<Subscription> makeVolatile(
            Address topic, String clientId, String name, Selector selector, Runnable onGone) {
        return volatiles.next(DirectoryEntry.subscriptionName(clientId, name), () -> {
            Subscription existing = volatileOfAnother(topic, clientId, name);
            CompletionStage<Void> left = existing == null
                    ? CompletableFuture.completedFuture(null)
                    : of(existing.address().id()).afterEarlier(); // its last link may have left
            return left.thenCompose(done -> {
                Subscription stays = volatileOfAnother(topic, clientId, name);
                if (stays != null) {
                    throw new Refusal.Refused(stays.isInUse());
                }
                Runnable gone = () -> {
                    letGo(clientId, name);
                    onGone.run();
                };
                return hold(topic, clientId, name)
                        .thenCompose(held -> parts.attend(
                                topic,
                                lookup.parts(topic),
                                (home, part) -> home.subscribeVolatile(part, clientId, name, selector, gone)))
                        .whenComplete((made, failure) -> {
                            if (failure != null) {
                                letGo(clientId, name);
                            }
                        });
            });
        });
    }

    /** Returns the volatile subscription of that name that reads another topic at this node; null if there is none. */
    private Subscription volatileOfAnother(Address topic, String clientId, String name) {
        Subscription existing = volatileHere(clientId, name);
        return existing == null || existing.address().name().equals(topic.name()) ? null : existing;
    }

    private Subscription volatileHere(String clientId, String name) {
        Subscription existing = lookup.findVolatile(clientId, name);
        return existing != null && isHere(HomeParts.shardOf(existing.address())) ? existing : null;
    }

    private boolean isHere(int shard) {
        return AwayShard.of(shards, shard) == null;
    }

    /** Has the directory say that this node has the name. While links attend the subscription here, it says so. */
    private CompletionStage<Void> hold(Address topic, String clientId, String name) {
        if (names == null || volatileHere(clientId, name) != null) {
            return CompletableFuture.completedFuture(null);
        }
        List<Integer> homes =
                lookup.parts(topic).stream().map(HomeParts::shardOf).toList();
        return names.hold(
                clientId, name, homes, homes.stream().filter(this::isHere).toList(), shard -> keeper(name, shard));
    }

    /** Returns why the shard keeps the name of a volatile subscription; null if nobody can read it there any more. */
    private Refusal keeper(String name, int shard) {
        AwayShard away = AwayShard.of(shards, shard);
        Home.Owner owner = away == null ? null : away.elsewhere();
        return owner == null
                ? null
                : new Refusal(
                        Refusal.Reason.IN_USE,
                        "RT-2017",
                        "subscription '" + Printable.value(name)
                                + "' has active consumers: it cannot change its topic or selector until they are"
                                + " closed. They read a topic in shard " + shard + " of " + owner);
    }

    /** Has the directory forget a name, unless links attend its subscription again. */
    private void letGo(String clientId, String name) {
        if (names != null) {
            volatiles.next(
                    DirectoryEntry.subscriptionName(clientId, name),
                    () -> volatileHere(clientId, name) == null
                            ? names.release(clientId, name, this::isHere)
                            : CompletableFuture.<Void>completedFuture(null));
        }
    }

    /** Deletes a subscription. The directory marks its name first, and hears at last what there is now. */
    CompletionStage<Void> delete(SubscriptionUser user, Subscription subscription) {
        return owners.next(
                ClientOwners.keyOf(subscription.clientId(), subscription.name()),
                () -> parts.delete(lookup.parts(subscription), (home, part) -> home.unsubscribe(user, part)));
    }

    /**
     * Deletes a subscription, since its client makes another one of that name at another node. The directory is made to
     * say so also if there is none.
     */
    CompletionStage<Void> makeWay(SubscriptionUser user, String clientId, String name, boolean shared) {
        return owners.next(ClientOwners.keyOf(clientId, name), () -> {
            Subscription existing = lookup.find(clientId, name);
            return existing == null
                    ? check.agree(() -> parts.entries(clientId, name))
                    : parts.delete(lookup.parts(existing), (home, part) -> home.makeWay(user, clientId, name, shared));
        });
    }

    /** Tells the directory what there is of a subscription whose topic has been deleted. */
    void agree(Subscription subscription) {
        String clientId = subscription.clientId();
        String name = subscription.name();
        owners.next(ClientOwners.keyOf(clientId, name), () -> check.agree(() -> parts.entries(clientId, name)));
    }

    /**
     * Completes or takes back each subscription that some parts of its topic have, and others lack.
     *
     * @return what waits for all of them; never fails
     */
    CompletionStage<Void> settle() {
        Map<String, Subscription> partial = new LinkedHashMap<>();
        for (Address address : lookup.addresses()) {
            for (Subscription each : DirectoryCheck.durable(lookup, address)) {
                if (!lookup.isWhole(each)) {
                    partial.put(DirectoryEntry.subscriptionName(each.clientId(), each.name()), each);
                }
            }
        }
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (Subscription each : partial.values()) {
            all = all.thenCompose(
                    done -> owners.next(ClientOwners.keyOf(each.clientId(), each.name()), () -> parts.settle(each)));
        }
        return all;
    }
}
