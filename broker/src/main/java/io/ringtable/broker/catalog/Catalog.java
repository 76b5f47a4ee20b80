package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.QuotaLimits;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Holds every address of a shard, temporary ones included, and every stored subscription, by name and by id.
 * <p>
 * Thread: committer changes the catalogue, any looks things up.
 */
public final class Catalog implements CatalogLookup {
    private record ClientName(String clientId, String name) {}

    private final Map<String, AddressEntry> byName = new ConcurrentHashMap<>();
    private final Map<Long, AddressEntry> byId = new ConcurrentHashMap<>();
    private final Map<ClientName, Subscription> byClientName = new ConcurrentHashMap<>();
    private final Map<ClientName, Subscription> sharedInMemory = new ConcurrentHashMap<>(); // that links attend
    private final ClientOwners clientOwners = new ClientOwners();
    private final StoredSettings settings;
    private final LoginIds logins;
    // by address, of topics with retention; committer's
    private final Map<Long, RetainedMessages> retained = new LinkedHashMap<>();
    private final List<SubscriptionEntry> replaying = new ArrayList<>(); // committer's
    private final int shard;
    private final AtomicLong volatileIds; // counts down; any
    private volatile int temporaries; // written by committer, read by metrics

    /** @param shard the number of the shard, by which its volatile ids differ from those of every other */
    public Catalog(int shard) {
        this(shard, new StoredSettings());
    }

    /** @param settings of the shard */
    public Catalog(int shard, StoredSettings settings) {
        this.shard = shard;
        this.settings = settings;
        this.logins = new LoginIds(shard);
        volatileIds = new AtomicLong(ShardIds.firstVolatile(shard));
    }

    // ---- for any thread

    /** Returns the number of the shard. */
    public int shard() {
        return shard;
    }

    @Override
    public Address find(String name) {
        AddressEntry entry = byName.get(name);
        return entry == null ? null : entry.address();
    }

    @Override
    public Address find(long addressId) {
        AddressEntry entry = byId.get(addressId);
        return entry == null ? null : entry.address();
    }

    @Override
    public Subscription find(String clientId, String name) {
        return byClientName.get(new ClientName(clientId, name));
    }

    @Override
    public Subscription findVolatile(String clientId, String name) {
        return sharedInMemory.get(new ClientName(clientId, name));
    }

    @Override
    public String ownerOf(String clientId) {
        return clientOwners.of(clientId);
    }

    @Override
    public String ownerOf(Subscription subscription) {
        return clientOwners.of(ClientOwners.keyOf(subscription.clientId(), subscription.name()));
    }

    @Override
    public List<Setting> settings(SettingKind kind) {
        return settings.of(kind);
    }

    @Override
    public Setting setting(SettingKind kind, String name) {
        return settings.find(kind, name);
    }

    @Override
    public Subscription readerOf(Address queue) {
        AddressEntry entry = byId.get(queue.id());
        return entry == null ? null : entry.reader();
    }

    @Override
    public Collection<Address> addresses() {
        return entries().stream().map(AddressEntry::address).toList();
    }

    @Override
    public Collection<Subscription> subscriptionsOf(Address address) {
        AddressEntry entry = byId.get(address.id());
        return entry == null
                ? List.of()
                : entry.subscriptions().stream()
                        .map(SubscriptionEntry::subscription)
                        .toList();
    }

    @Override
    public long owedBy(Subscription subscription) {
        SubscriptionEntry entry = entry(subscription.address().id(), subscription.id());
        return entry == null ? 0 : entry.owedInRing() + entry.owedInBacklog();
    }

    @Override
    public boolean isReplaying(Subscription subscription) {
        SubscriptionEntry entry = entry(subscription.address().id(), subscription.id());
        return entry != null && entry.isReplaying();
    }

    @Override
    public RetainedMessages retained(Address topic) {
        AddressEntry entry = byId.get(topic.id());
        return entry == null ? null : entry.retained();
    }

    @Override
    public Subscription volatileReader(
            Address topic, String clientId, String name, Selector selector, boolean noLocal) {
        return Subscription.inMemory(nextVolatileId(), topic, clientId, name, selector, noLocal, false);
    }

    /** Returns an id for an address or a subscription that lives in memory only. */
    public long nextVolatileId() {
        return volatileIds.getAndDecrement();
    }

    public AddressEntry byName(String name) {
        return byName.get(name);
    }

    /** Returns the address of that id; null if there is none. */
    public AddressEntry entry(long addressId) {
        return byId.get(addressId);
    }

    /** Returns the stored addresses. */
    public Collection<AddressEntry> entries() {
        return byId.values().stream()
                .filter(entry -> !entry.address().isTemporary())
                .toList();
    }

    @Override
    public int size() {
        return byId.size() - temporaries;
    }

    /** Returns the number of temporary addresses. */
    public int temporaries() {
        return temporaries;
    }

    /**
     * Returns the entry of an address.
     *
     * @throws Refusal.Refused if the address was deleted
     */
    public AddressEntry existing(Address address) {
        AddressEntry entry = byId.get(address.id());
        if (entry == null) {
            throw new Refusal.Refused(
                    new Refusal(Refusal.Reason.NOT_FOUND, "RT-2010", address + " was deleted: attach to it anew"));
        }
        return entry;
    }

    /** Returns the address's stored subscription of that id; null if there is none. */
    public SubscriptionEntry entry(long addressId, long subscriptionId) {
        AddressEntry address = byId.get(addressId);
        if (address != null) {
            for (SubscriptionEntry entry : address.subscriptions()) {
                if (entry.subscription().id() == subscriptionId) {
                    return entry;
                }
            }
        }
        return null;
    }

    /** Returns the entry of a subscription; null if it is no longer in the catalogue. */
    public SubscriptionEntry entryOf(Subscription subscription) {
        AddressEntry address = byId.get(subscription.address().id());
        if (address == null) {
            return null;
        }
        SubscriptionEntry holder = address.holder(subscription.group(), subscription.bit());
        return holder != null && holder.subscription().equals(subscription) ? holder : null;
    }

    // ---- for the committer

    public AddressEntry add(Address address) {
        AddressEntry entry = new AddressEntry(address);
        byId.put(address.id(), entry);
        byName.put(address.name(), entry);
        return entry;
    }

    /** Adds a queue with its subscription, so that no thread finds one without the other. */
    public void add(Address queue, Subscription reader) {
        AddressEntry entry = new AddressEntry(queue);
        entry.add(reader, null);
        byId.put(queue.id(), entry);
        byName.put(queue.name(), entry);
    }

    /**
     * Adds a temporary address.
     *
     * @param reader subscription of a queue; null for a topic
     */
    public void addTemporary(Address temporary, Subscription reader) {
        AddressEntry entry = new AddressEntry(temporary, reader);
        byId.put(temporary.id(), entry);
        byName.put(temporary.name(), entry);
        temporaries = temporaries + 1;
    }

    /** @return false if the address is gone already */
    public boolean removeTemporary(Address temporary) {
        AddressEntry entry = byId.remove(temporary.id());
        if (entry == null) {
            return false;
        }
        byName.remove(temporary.name(), entry);
        temporaries = temporaries - 1;
        return true;
    }

    /** Has a shared volatile subscription found by its name, as long as links attend it. */
    public void addVolatile(Subscription shared) {
        sharedInMemory.put(new ClientName(shared.clientId(), shared.name()), shared);
    }

    public void removeVolatile(Subscription shared) {
        sharedInMemory.remove(new ClientName(shared.clientId(), shared.name()), shared);
    }

    /** Removes a stored address. */
    public void remove(AddressEntry address) {
        byId.remove(address.address().id());
        byName.remove(address.address().name(), address);
        retained.remove(address.address().id());
        replaying.removeAll(address.subscriptions());
        for (SubscriptionEntry entry : address.subscriptions()) {
            Subscription gone = entry.subscription();
            byClientName.remove(new ClientName(gone.clientId(), gone.name()), gone);
        }
    }

    /**
     * Adds a stored subscription.
     *
     * @param replay null unless the subscription began at a time in the past
     */
    public SubscriptionEntry add(Subscription subscription, Replay replay) {
        AddressEntry address = byId.get(subscription.address().id());
        SubscriptionEntry entry = address.add(subscription, replay);
        if (subscription.isRetention()) {
            retained.put(address.address().id(), address.retained());
        } else if (!subscription.address().isQueue()) {
            byClientName.put(new ClientName(subscription.clientId(), subscription.name()), subscription);
        }
        if (entry.isReplaying()) {
            replaying.add(entry);
        }
        return entry;
    }

    /**
     * Has addresses, temporary ones included, follow what policies say of their quotas. Thread: committer; before it
     * starts, the starter of the shard.
     *
     * @param which names may have another policy than before
     * @param policies by name
     */
    public void limitQuotas(Predicate<String> which, Function<String, QuotaLimits> policies) {
        for (AddressEntry entry : byId.values()) {
            Address address = entry.address();
            if (which.test(address.name())) {
                address.quota().limit(policies.apply(address.name()));
            }
        }
    }

    public ClientOwners clientOwners() {
        return clientOwners;
    }

    /** Returns what administrators set at run time. */
    public StoredSettings settings() {
        return settings;
    }

    /** Returns the logins by which messages were published. */
    public LoginIds logins() {
        return logins;
    }

    /** Answers whether a stored subscription has that client id. */
    public boolean hasSubscriptionOf(String clientId) {
        return byClientName.keySet().stream().anyMatch(key -> key.clientId().equals(clientId));
    }

    /** Answers whether a stored subscription has its owner under that key. */
    public boolean hasSubscriptionUnder(String key) {
        return byClientName.keySet().stream()
                .anyMatch(
                        each -> ClientOwners.keyOf(each.clientId(), each.name()).equals(key));
    }

    /** Returns what topics with retention keep. */
    public Collection<RetainedMessages> retained() {
        return retained.values();
    }

    /** Returns the subscriptions that are still served what was published before they began. */
    public List<SubscriptionEntry> replaying() {
        return replaying;
    }

    /** Notes that a subscription has got everything that was published before it began. */
    public void replayed(SubscriptionEntry entry) {
        entry.replay().end();
        replaying.remove(entry);
        byId.get(entry.subscription().address().id()).replayed();
    }

    public void remove(Subscription subscription) {
        if (subscription.isRetention()) {
            retained.remove(subscription.address().id());
        }
        replaying.removeIf(entry -> entry.subscription().equals(subscription));
        byClientName.remove(new ClientName(subscription.clientId(), subscription.name()), subscription);
        AddressEntry address = byId.get(subscription.address().id());
        if (address != null) {
            address.remove(subscription);
        }
    }
}
