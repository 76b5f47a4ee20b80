package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.catalog.ProducerUser;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.dispatch.PartsElsewhere;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Takes each change to the shard that it concerns. {@link HomeAddresses} and {@link HomeSubscriptions} make and delete
 * the names that stand in the directory.
 * <p>
 * Thread: any; stages complete on a committer's thread, or on that of the directory.
 */
final class HomeCatalog implements CatalogMailbox {
    private final List<? extends Shard> shards;
    private final IntSupplier begun;
    private final HomeLookup lookup;
    private final HomeAddresses addresses;
    private final HomeSubscriptions subscriptions;
    private final PartsElsewhere others;
    private final AtomicInteger temporaries = new AtomicInteger(); // counts calls

    /**
     * Makes one for the shards of a node.
     *
     * @param begun gives how many of the shards have anything
     * @param others has other nodes make their parts of a subscription; null = its caller does so, or nobody
     *     does
     */
    HomeCatalog(
            List<? extends Shard> shards,
            IntSupplier begun,
            HomeLookup lookup,
            HomeAddresses addresses,
            HomeSubscriptions subscriptions,
            PartsElsewhere others) {
        this.others = others;
        this.shards = shards;
        this.begun = begun;
        this.lookup = lookup;
        this.addresses = addresses;
        this.subscriptions = subscriptions;
    }

    private CatalogMailbox of(long id) {
        return shards.get(ShardIds.shardOf(id)).catalog();
    }

    // ---- addresses

    @Override
    public CompletionStage<Address> ensure(String name, AddressKind kind) {
        return addresses.ensure(name, kind);
    }

    @Override
    public CompletionStage<Address> create(String name, AddressKind kind) {
        return addresses.create(name, kind);
    }

    @Override
    public CompletionStage<Address> createTemporary(AddressKind kind, String owner) {
        int next = temporaries.getAndIncrement();
        AwayShard elsewhere = null;
        for (int i = 0; i < shards.size(); i++) {
            Shard shard = shards.get(Math.floorMod(next + i, shards.size()));
            if (!(shard instanceof AwayShard away)) {
                return shard.catalog().createTemporary(kind, owner);
            }
            elsewhere = elsewhere == null && away.elsewhere() != null ? away : elsewhere;
        }
        return elsewhere == null
                ? shards.get(0).catalog().createTemporary(kind, owner) // which refuses, and says why
                : CompletableFuture.failedFuture(elsewhere.refusesNew("a temporary address"));
    }

    @Override
    public CompletionStage<Void> delete(Address temporary) {
        return of(temporary.id()).delete(temporary);
    }

    @Override
    public CompletionStage<Void> deleteStored(Address address, boolean evenIfUsed) {
        List<Subscription> durable = lookup.parts(address.name()).stream()
                .flatMap(part -> DirectoryCheck.durable(lookup, part).stream())
                .toList();
        return addresses.delete(address, evenIfUsed).thenRun(() -> durable.forEach(subscriptions::agree));
    }

    @Override
    public CompletionStage<Moving> close(Address address) {
        return of(address.id()).close(address);
    }

    @Override
    public CompletionStage<Void> reopen(Address address) {
        return of(address.id()).reopen(address);
    }

    /** {@inheritDoc} Whoever moves an address asks the next shard itself. */
    @Override
    public CompletionStage<Address> receive(Moving moving) {
        throw new IllegalStateException("which shard is to have " + moving.address() + "?");
    }

    @Override
    public CompletionStage<Void> keepBeside(Address topic, int eighths) {
        return of(topic.id()).keepBeside(topic, eighths);
    }

    /** {@inheritDoc} Whoever moves an address asks the next shard itself. */
    @Override
    public CompletionStage<Void> own(String key, String owner) {
        throw new IllegalStateException("in which shard is '" + key + "' to have an owner?");
    }

    @Override
    public CompletionStage<Void> move(Address address, int shard, boolean evenIfParted) {
        return addresses.move(address, shard, evenIfParted);
    }

    // ---- subscriptions

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
        return subscriptions.make(
                topic, new SubscriptionParts.Terms(user, clientId, name, selector, noLocal, shared, since), others);
    }

    @Override
    public CompletionStage<Subscription> subscribeVolatile(
            Address topic, String clientId, String name, Selector selector, Runnable onGone) {
        return subscriptions.makeVolatile(topic, clientId, name, selector, onGone, others);
    }

    /** {@inheritDoc} Who attends one in the old home of a topic that moves attends it there alone. */
    @Override
    public void leave(Subscription subscription) {
        List<Subscription> all =
                subscription.address().quota().isClosed() ? List.of(subscription) : lookup.parts(subscription);
        all.forEach(part -> of(part.address().id()).leave(part));
    }

    @Override
    public CompletionStage<Void> unsubscribe(SubscriptionUser user, Subscription subscription) {
        return subscriptions.delete(user, subscription);
    }

    @Override
    public CompletionStage<Void> makeWay(SubscriptionUser user, String clientId, String name, boolean shared) {
        return subscriptions.makeWay(user, clientId, name, shared);
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
        int end = begun.getAsInt();
        int first = Math.min(ShardIds.shardOf(after), end);
        for (Shard shard : shards.subList(first, end)) {
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
        return shards.get(0).catalog().putSetting(setting).thenCompose(stored -> afterEarlier());
    }

    @Override
    public CompletionStage<Void> deleteSetting(SettingKind kind, String name) {
        return shards.get(0).catalog().deleteSetting(kind, name).thenCompose(deleted -> afterEarlier());
    }

    /**
     * {@inheritDoc} The first shard tells the others of a setting before it answers, so this is also when it counts in
     * all of them. One that is away follows when it comes back.
     */
    @Override
    public CompletionStage<Void> afterEarlier() {
        return CompletableFuture.allOf(shards.stream()
                .map(shard -> shard.catalog()
                        .afterEarlier()
                        .exceptionally(away -> null)
                        .toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }
}
