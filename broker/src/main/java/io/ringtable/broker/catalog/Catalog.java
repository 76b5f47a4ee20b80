package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Every address of a shard, temporary ones included, and every stored subscription, by name and by id.
 * <p>
 * Thread: committer changes it, any looks things up.
 */
public final class Catalog {
    private record ClientName(String clientId, String name) {}

    private final Map<String, AddressEntry> byName = new ConcurrentHashMap<>();
    private final Map<Long, AddressEntry> byId = new ConcurrentHashMap<>();
    private final Map<ClientName, Subscription> byClientName = new ConcurrentHashMap<>();
    private final ClientOwners clientOwners = new ClientOwners();
    private final Map<Long, RetainedMessages> kept = new LinkedHashMap<>(); // by address, of topics with retention; committer's
    private final List<SubscriptionEntry> replaying = new ArrayList<>(); // committer's
    private volatile int temporaries; // written by committer, read by metrics

    public AddressEntry byName(String name) {
        return byName.get(name);
    }

    /** Null if there is none of that id. */
    public AddressEntry entry(long addressId) {
        return byId.get(addressId);
    }

    public Subscription subscription(String clientId, String name) {
        return byClientName.get(new ClientName(clientId, name));
    }

    /** The stored ones. */
    public Collection<AddressEntry> addresses() {
        return byId.values().stream()
                .filter(entry -> !entry.address().isTemporary())
                .toList();
    }

    /** Stored addresses. */
    public int size() {
        return byId.size() - temporaries;
    }

    /** Temporary addresses. */
    public int temporaries() {
        return temporaries;
    }

    /** Null if the address has no stored subscription of that id. */
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

    /** Null unless the subscription is still in the catalogue. */
    public SubscriptionEntry entryOf(Subscription subscription) {
        AddressEntry address = byId.get(subscription.address().id());
        if (address == null) {
            return null;
        }
        SubscriptionEntry holder = address.holder(subscription.group(), subscription.bit());
        return holder != null && holder.subscription().equals(subscription) ? holder : null;
    }

    public AddressEntry add(Address address) {
        AddressEntry entry = new AddressEntry(address);
        byId.put(address.id(), entry);
        byName.put(address.name(), entry);
        return entry;
    }

    /** A queue with its reader: nobody finds the one without the other. */
    public void add(Address queue, Subscription reader) {
        AddressEntry entry = new AddressEntry(queue);
        entry.add(reader, null);
        byId.put(queue.id(), entry);
        byName.put(queue.name(), entry);
    }

    /** @param reader of a queue; null for a topic */
    public void addTemporary(Address temporary, Subscription reader) {
        AddressEntry entry = new AddressEntry(temporary, reader);
        byId.put(temporary.id(), entry);
        byName.put(temporary.name(), entry);
        temporaries = temporaries + 1;
    }

    /** @return false if it is gone already */
    public boolean removeTemporary(Address temporary) {
        AddressEntry entry = byId.remove(temporary.id());
        if (entry == null) {
            return false;
        }
        byName.remove(temporary.name(), entry);
        temporaries = temporaries - 1;
        return true;
    }

    /** A stored one. */
    public void remove(AddressEntry address) {
        byId.remove(address.address().id());
        byName.remove(address.address().name(), address);
        kept.remove(address.address().id());
        replaying.removeAll(address.subscriptions());
        for (SubscriptionEntry entry : address.subscriptions()) {
            Subscription gone = entry.subscription();
            byClientName.remove(new ClientName(gone.clientId(), gone.name()), gone);
        }
    }

    /** @param replay null unless it began at a time in the past */
    public SubscriptionEntry add(Subscription subscription, Replay replay) {
        AddressEntry address = byId.get(subscription.address().id());
        SubscriptionEntry entry = address.add(subscription, replay);
        if (subscription.isRetention()) {
            kept.put(address.address().id(), address.kept());
        } else if (!subscription.address().isQueue()) {
            byClientName.put(new ClientName(subscription.clientId(), subscription.name()), subscription);
        }
        if (entry.isReplaying()) {
            replaying.add(entry);
        }
        return entry;
    }

    public ClientOwners clientOwners() {
        return clientOwners;
    }

    /** Whether a stored subscription has that client id. */
    public boolean hasSubscriptionOf(String clientId) {
        return byClientName.keySet().stream().anyMatch(key -> key.clientId().equals(clientId));
    }

    /** What topics with retention keep. */
    public Collection<RetainedMessages> kept() {
        return kept.values();
    }

    /** Those that get what was published before they began. */
    public List<SubscriptionEntry> replaying() {
        return replaying;
    }

    /** It has got everything that was published before it began. */
    public void replayed(SubscriptionEntry entry) {
        entry.replay().end();
        replaying.remove(entry);
        byId.get(entry.subscription().address().id()).replayed();
    }

    public void remove(Subscription subscription) {
        if (subscription.isRetention()) {
            kept.remove(subscription.address().id());
        }
        replaying.removeIf(entry -> entry.subscription().equals(subscription));
        byClientName.remove(new ClientName(subscription.clientId(), subscription.name()), subscription);
        AddressEntry address = byId.get(subscription.address().id());
        if (address != null) {
            address.remove(subscription);
        }
    }
}
