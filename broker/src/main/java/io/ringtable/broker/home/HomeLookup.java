package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Looks things up in the shard that has them. Of an address with parts it finds the first, once all parts are there.
 * <p>
 * Thread: any.
 */
final class HomeLookup implements CatalogLookup {
    private final List<? extends Shard> shards;
    private final Set<String> hidden = ConcurrentHashMap.newKeySet();

    HomeLookup(List<? extends Shard> shards) {
        this.shards = shards;
    }

    private CatalogLookup of(long id) {
        int shard = ShardIds.shardOf(id);
        return shard < shards.size() ? shards.get(shard).lookup() : null;
    }

    private <T> T first(Function<CatalogLookup, T> question) {
        for (Shard shard : shards) {
            T found = question.apply(shard.lookup());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Has nobody find the name, until {@link #show}. */
    void hide(String name) {
        hidden.add(name);
    }

    void show(String name) {
        hidden.remove(name);
    }

    boolean isHidden(String name) {
        return !hidden.isEmpty() && hidden.contains(name);
    }

    @Override
    public Address find(String name) {
        return isHidden(name) ? null : first(lookup -> lookup.find(name));
    }

    @Override
    public Address find(long addressId) {
        CatalogLookup lookup = of(addressId);
        return lookup == null ? null : lookup.find(addressId);
    }

    @Override
    public Subscription find(String clientId, String name) {
        return first(lookup -> lookup.find(clientId, name));
    }

    @Override
    public String ownerOf(String clientId) {
        return first(lookup -> lookup.ownerOf(clientId));
    }

    @Override
    public String ownerOf(Subscription subscription) {
        return of(subscription.id()).ownerOf(subscription);
    }

    @Override
    public List<Setting> settings(SettingKind kind) {
        return shards.get(0).lookup().settings(kind);
    }

    @Override
    public Setting setting(SettingKind kind, String name) {
        return shards.get(0).lookup().setting(kind, name);
    }

    @Override
    public Subscription readerOf(Address queue) {
        return of(queue.id()).readerOf(queue);
    }

    @Override
    public Collection<Address> addresses() {
        return shards.stream()
                .flatMap(shard -> shard.lookup().addresses().stream())
                .toList();
    }

    @Override
    public int size() {
        return shards.stream().mapToInt(shard -> shard.lookup().size()).sum();
    }

    @Override
    public Collection<Subscription> subscriptionsOf(Address address) {
        return of(address.id()).subscriptionsOf(address);
    }

    @Override
    public long owedBy(Subscription subscription) {
        return of(subscription.id()).owedBy(subscription);
    }

    @Override
    public Subscription volatileReader(
            Address topic, String clientId, String name, Selector selector, boolean noLocal) {
        return of(topic.id()).volatileReader(topic, clientId, name, selector, noLocal);
    }

    /** Returns the addresses of that name in all shards, in the order of their shards. */
    List<Address> parts(String name) {
        return shards.stream()
                .map(shard -> shard.lookup().find(name))
                .filter(Objects::nonNull)
                .toList();
    }
}
