package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.ClientOwners;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.catalog.ProducerUser;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Takes each change to the shard that it concerns. A new address gets its home here ({@link HomeChoice}). Two calls for
 * the same new name wait for each other, so a name never has two homes.
 * <p>
 * Thread: any; stages complete on a committer's thread.
 */
final class HomeCatalog implements CatalogMailbox {
    private final List<? extends Shard> shards;
    private final HomeLookup lookup;
    private final HomeChoice choice;
    private final HomeParts parts;
    private final InTurns names = new InTurns();
    private final InTurns owners = new InTurns(); // by the key of ClientOwners
    private final AtomicInteger temporaries = new AtomicInteger(); // counts calls

    HomeCatalog(List<? extends Shard> shards, HomeLookup lookup, HomeParts parts) {
        this.shards = shards;
        this.lookup = lookup;
        this.choice = new HomeChoice(shards);
        this.parts = parts;
    }

    private CatalogMailbox of(long id) {
        return shards.get(ShardIds.shardOf(id)).catalog();
    }

    // ---- addresses

    @Override
    public CompletionStage<Address> ensure(String name, AddressKind kind) {
        return inHome(name, home -> home.ensure(name, kind));
    }

    @Override
    public CompletionStage<Address> create(String name, AddressKind kind) {
        return inHome(name, home -> home.create(name, kind));
    }

    private CompletionStage<Address> inHome(String name, Function<CatalogMailbox, CompletionStage<Address>> ask) {
        Address known = lookup.find(name);
        if (known != null) {
            return ask.apply(of(known.id()));
        }
        return names.next(name, () -> {
            Address meanwhile = lookup.find(name);
            if (meanwhile != null) {
                return ask.apply(of(meanwhile.id()));
            }
            AwayShard away = AwayShard.firstOf(shards);
            if (away != null) {
                return refused(away.ofNewNames("address '" + name + "'"));
            }
            int[] homes = choice.next(name, parts.wanted(name), List.of());
            CompletionStage<Address> made = homes.length == 1
                    ? ask.apply(shards.get(homes[0]).catalog())
                    : parts.make(name, homes, shard -> ask.apply(shard.catalog()));
            return made.whenComplete((address, failure) -> choice.answered(homes));
        });
    }

    private static <T> CompletionStage<T> refused(Refusal refusal) {
        return CompletableFuture.failedFuture(new Refusal.Refused(refusal));
    }

    /**
     * Makes the parts that a queue lacks, whatever {@link io.ringtable.broker.catalog.AddressCreation} says: it exists
     * already, is empty, and nobody uses it.
     *
     * @param all of the parts that there are, by shard
     */
    CompletionStage<Address> complete(String queue, List<Address> all) {
        List<Integer> taken = all.stream().map(HomeParts::shardOf).toList();
        int[] homes = choice.next(queue, parts.wanted(queue) - taken.size(), taken);
        return parts.make(queue, homes, shard -> shard.catalog().create(queue, AddressKind.QUEUE))
                .whenComplete((address, failure) -> choice.answered(homes));
    }

    @Override
    public CompletionStage<Address> createTemporary(AddressKind kind, String owner) {
        for (int i = 1; i < shards.size(); i++) {
            Shard next = nextForTemporary();
            if (!(next instanceof AwayShard)) {
                return next.catalog().createTemporary(kind, owner);
            }
        }
        return nextForTemporary().catalog().createTemporary(kind, owner);
    }

    private Shard nextForTemporary() {
        return shards.get(Math.floorMod(temporaries.getAndIncrement(), shards.size()));
    }

    @Override
    public CompletionStage<Void> delete(Address temporary) {
        return of(temporary.id()).delete(temporary);
    }

    @Override
    public CompletionStage<Void> deleteStored(Address address, boolean evenIfUsed) {
        List<Address> all = lookup.parts(address.name());
        if (!all.contains(address)) { // deleted meanwhile: a later address of the name is another one
            return of(address.id()).deleteStored(address, evenIfUsed);
        }
        CompletionStage<Void> deleted = CompletableFuture.completedFuture(null);
        for (Address part : mostOwedFirst(all)) {
            deleted = deleted.thenCompose(done -> of(part.id()).deleteStored(part, evenIfUsed));
        }
        return deleted.thenRun(() -> parts.deleted(address.name()));
    }

    /** Returns the parts in such an order that one with messages refuses before another one is gone. */
    private List<Address> mostOwedFirst(List<Address> all) {
        return all.stream()
                .sorted(Comparator.comparingLong((Address part) -> part.quota().messages())
                        .reversed())
                .toList();
    }

    // ---- subscriptions

    /**
     * {@inheritDoc} The subscription that the call replaces may read a topic with another home. The user who owns the
     * client id may have subscriptions in other shards only. So subscriptions of one owner are made one by one.
     */
    @Override
    public CompletionStage<Subscription> subscribe(
            SubscriptionUser user,
            Address topic,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared,
            Instant since) {
        return owners.next(ClientOwners.keyOf(clientId, name), () -> {
            Subscription existing = lookup.find(clientId, name);
            AwayShard away = existing == null ? AwayShard.firstOf(shards) : null;
            if (away != null) {
                return refused(away.ofNewNames("subscription '" + name + "'"));
            }
            user.check(clientId, name, existing, ownerOf(clientId, existing));
            boolean isElsewhere = existing != null && ShardIds.shardOf(existing.id()) != ShardIds.shardOf(topic.id());
            CompletionStage<Void> free = isElsewhere
                    ? of(existing.id()).unsubscribe(user, existing)
                    : CompletableFuture.completedFuture(null);
            return free.thenCompose(
                    done -> of(topic.id()).subscribe(user, topic, clientId, name, selector, noLocal, shared, since));
        });
    }

    /** Returns the user who owns the client id or, without one, the global subscription; null = nobody yet. */
    private String ownerOf(String clientId, Subscription existing) {
        if (clientId.isEmpty()) {
            return existing == null ? null : lookup.ownerOf(existing);
        }
        return lookup.ownerOf(clientId);
    }

    @Override
    public CompletionStage<Subscription> subscribeVolatile(
            Address topic, String clientId, String name, Selector selector) {
        return of(topic.id()).subscribeVolatile(topic, clientId, name, selector);
    }

    @Override
    public void leave(Subscription subscription) {
        of(subscription.address().id()).leave(subscription);
    }

    @Override
    public CompletionStage<Void> unsubscribe(SubscriptionUser user, Subscription subscription) {
        return of(subscription.id()).unsubscribe(user, subscription);
    }

    // ---- producers

    @Override
    public CompletionStage<Producer> attend(
            ProducerUser user, Address address, String name, long incarnation, Runnable fenced) {
        return of(address.id()).attend(user, address, name, incarnation, fenced);
    }

    @Override
    public void leave(Producer producer) {
        of(producer.id()).leave(producer);
    }

    @Override
    public CompletionStage<Void> forget(Address address, String producer) {
        return of(address.id()).forget(address, producer);
    }

    /** {@inheritDoc} Ids rise with the numbers of their shards. */
    @Override
    public CompletionStage<List<ProducerEntry>> producers(long after, int most, Address address, String filter) {
        if (address != null) {
            return of(address.id()).producers(after, most, address, filter);
        }
        CompletionStage<List<ProducerEntry>> all = CompletableFuture.completedFuture(new ArrayList<>());
        int first = Math.min(ShardIds.shardOf(after), shards.size());
        for (Shard shard : shards.subList(first, shards.size())) {
            all = all.thenCompose(found -> found.size() >= most
                    ? CompletableFuture.completedFuture(found)
                    : shard.catalog()
                            .producers(after, most - found.size(), null, filter)
                            .thenApply(more -> {
                                found.addAll(more);
                                return found;
                            }));
        }
        return all;
    }

    // ---- settings

    @Override
    public CompletionStage<Void> putSetting(Setting setting) {
        return shards.get(0).catalog().putSetting(setting);
    }

    @Override
    public CompletionStage<Void> deleteSetting(SettingKind kind, String name) {
        return shards.get(0).catalog().deleteSetting(kind, name);
    }
}
