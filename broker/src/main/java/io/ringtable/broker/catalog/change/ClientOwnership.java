package io.ringtable.broker.catalog.change;

import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.ClientOwners;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.store.CatalogChange;
import java.util.List;

/**
 * Gives client ids to the users who first make a durable subscription with them, and takes them back with the last one.
 * Does the same with global subscriptions, each by its name.
 * <p>
 * Thread: committer, between flushes.
 */
final class ClientOwnership {
    private final Catalog catalog;
    private final ClientOwners owners;
    private final CatalogWriter writer;

    ClientOwnership(Catalog catalog, CatalogWriter writer) {
        this.catalog = catalog;
        this.owners = catalog.clientOwners();
        this.writer = writer;
    }

    /**
     * Makes a user the owner of a client id or, without one, of a global subscription, durably when the call returns.
     * Refused if another user owns it. A user who manages the topic of a global subscription may use it and does not
     * become its owner.
     *
     * @param existing the subscription of that name; null if there is none yet
     */
    void own(String clientId, String name, Subscription existing, SubscriptionUser user) {
        if (user.name().isEmpty()) {
            return;
        }
        String key = ClientOwners.keyOf(clientId, name);
        String known = owners.of(key);
        // A global subscription that went with its topic has left its owner behind: the name is free.
        String owner = clientId.isEmpty() && existing == null ? null : known;
        user.check(clientId, name, existing, owner);
        if (owner == null && !user.name().equals(known)) {
            write(new CatalogChange.OwnClient(key, user.name()));
            owners.put(key, user.name());
        }
    }

    /**
     * Makes a user the owner under that key, as another shard has it: a topic of the owner comes from there.
     *
     * @param owner null = nobody, as the topic has gone: unless another subscription here has the key
     */
    void own(String key, String owner) {
        if (owner != null && !owner.equals(owners.of(key))) {
            write(new CatalogChange.OwnClient(key, owner));
            owners.put(key, owner);
        } else if (owner == null && owners.of(key) != null && !catalog.hasSubscriptionUnder(key)) {
            write(new CatalogChange.OwnClient(key, null));
            owners.remove(key);
        }
    }

    /** Takes back a client id whose last durable subscription is gone, or the name of a global one. */
    void disown(String clientId, String name) {
        String key = ClientOwners.keyOf(clientId, name);
        if (owners.of(key) != null) {
            write(new CatalogChange.OwnClient(key, null));
            owners.remove(key);
        }
    }

    /**
     * Writes the change. A repetition says the same, so the writer need not find out whether the first try happened.
     */
    private void write(CatalogChange.OwnClient change) {
        writer.write(List.of(change), 0, tables -> tables.clientOwners().contains(change));
    }
}
