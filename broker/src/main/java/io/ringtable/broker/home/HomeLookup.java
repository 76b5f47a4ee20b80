package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.AddressMove;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.home.move.CurrentMoves;
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
 * Looks things up in the shard that has them. Of an address with parts it finds the first, once all parts are there. Of
 * a queue that moves it finds the one in its next home, once that is there.
 * <p>
 * Thread: any.
 */
final class HomeLookup implements CatalogLookup {
    private final List<? extends Shard> shards;
    private final CurrentMoves moves;
    private final Set<String> hidden = ConcurrentHashMap.newKeySet();

    HomeLookup(List<? extends Shard> shards, CurrentMoves moves) {
        this.shards = shards;
        this.moves = moves;
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
        if (isHidden(name)) {
            return null;
        }
        AddressMove move = moves.of(name);
        Address next = move == null ? null : shards.get(move.to()).lookup().find(name); // where publishers go
        return next == null ? first(lookup -> lookup.find(name)) : next;
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
    public boolean isReplaying(Subscription subscription) {
        return of(subscription.id()).isReplaying(subscription);
    }

    @Override
    public RetainedMessages retained(Address topic) {
        return of(topic.id()).retained(topic);
    }

    @Override
    public Subscription volatileReader(
            Address topic, String clientId, String name, Selector selector, boolean noLocal) {
        return of(topic.id()).volatileReader(topic, clientId, name, selector, noLocal);
    }

    @Override
    public Subscription findVolatile(String clientId, String name) {
        return first(lookup -> lookup.findVolatile(clientId, name));
    }

    // ---- parts

    /**
     * Returns the address and its other parts, in the order of their shards; the address alone if it has none. One that
     * this node knew before another one took its shard over stands there as it is known now.
     */
    List<Address> parts(Address address) {
        List<Address> all = address.isTemporary() ? List.of() : parts(address.name());
        return all.stream().anyMatch(part -> isSame(part, address))
                ? all.stream().filter(part -> part.kind() == address.kind()).toList()
                : List.of(address);
    }

    /** Tells whether both are one part. Of a shard that other nodes may own the names are known here, and no ids. */
    private boolean isSame(Address part, Address address) {
        int shard = HomeParts.shardOf(address);
        return part.equals(address)
                || HomeParts.shardOf(part) == shard
                        && part.kind() == address.kind()
                        && AwayShard.isShared(shards, shard);
    }

    /**
     * Returns the subscription of a topic and those of its name in the other parts of the topic, in the order of their
     * shards. One that a part lacks is missing. One that nobody finds by its name stands alone.
     */
    List<Subscription> parts(Subscription subscription) {
        if (!subscription.isAttendedByName()) {
            return List.of(subscription);
        }
        List<Subscription> all = parts(subscription.address()).stream()
                .map(part -> inPart(part, subscription))
                .filter(Objects::nonNull)
                .toList();
        return all.contains(subscription) ? all : List.of(subscription);
    }

    private Subscription inPart(Address part, Subscription subscription) {
        CatalogLookup lookup = of(part.id());
        Subscription found = subscription.isStored()
                ? lookup.find(subscription.clientId(), subscription.name())
                : lookup.findVolatile(subscription.clientId(), subscription.name());
        return found != null && found.address().equals(part) ? found : null;
    }

    /** Tells whether each part of the topic has the subscription, and all alike. */
    boolean isWhole(Subscription subscription) {
        List<Subscription> has = parts(subscription);
        return has.size() == parts(subscription.address()).size() && areAlike(has);
    }

    /** Tells whether subscriptions of one name select the same, and are all shared or none. */
    static boolean areAlike(List<Subscription> parts) {
        Subscription first = parts.get(0);
        return parts.stream()
                .allMatch(each -> each.reads(each.address(), first.selector(), first.noLocal())
                        && each.shared() == first.shared());
    }

    /** Returns the addresses of that name in all shards, in the order of their shards. */
    List<Address> parts(String name) {
        return shards.stream()
                .map(shard -> shard.lookup().find(name))
                .filter(Objects::nonNull)
                .toList();
    }
}
