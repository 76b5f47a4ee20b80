package io.ringtable.broker.catalog.change;

import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.Replay;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.retention.RetainedSearch;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.work.CommitListener;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates and deletes subscriptions of topics, from now on or from a time in the past, and counts the links that attend
 * them.
 * <p>
 * Thread: committer, between flushes.
 */
public final class SubscriptionChanges {
    private final RingState state;
    private final Catalog catalog;
    private final CatalogWriter writer;
    private final ClientOwnership owners;
    private final RetainedSearch retained;
    private final CommitListener listener;
    private final SharedVolatileSubscriptions volatiles;

    public SubscriptionChanges(
            RingState state, CatalogWriter writer, RetainedSearch retained, CommitListener listener) {
        this.state = state;
        this.catalog = state.catalog();
        this.writer = writer;
        this.owners = new ClientOwnership(catalog, writer);
        this.volatiles = new SharedVolatileSubscriptions(catalog);
        this.retained = retained;
        this.listener = listener;
    }

    /**
     * Finds or creates a stored subscription, and counts its caller as attending it.
     *
     * @param since null unless the subscription begins at a time in the past
     */
    public Subscription subscribe(
            SubscriptionUser user,
            Address topic,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared,
            Instant since) {
        AddressEntry address = catalog.existing(topic);
        if (name.equals(Subscription.RETENTION)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-2023",
                    "'" + name + "' is the name of the subscription that keeps messages: use another name"));
        }
        if (topic.isTemporary()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED, "RT-2021", topic + " is temporary: no subscription of it is durable"));
        }
        if (topic.quota().isGoing()) {
            throw new Refusal.Refused(topic.goes());
        }
        Subscription existing = catalog.find(clientId, name);
        owners.own(clientId, name, existing, user);
        if (existing != null) {
            checkSharing(existing, shared);
        }
        if (existing == null || !existing.reads(topic, selector, noLocal)) {
            if (since != null) {
                checkMayReplay(address, noLocal);
            }
            if (existing != null) {
                replaceable(existing);
                remove(existing);
            }
            existing = create(address, clientId, name, selector, noLocal, shared, since);
        }
        catalog.entryOf(existing).attended();
        return existing;
    }

    private static void checkSharing(Subscription existing, boolean shared) {
        if (existing.shared() != shared) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-2016",
                    existing + " exists and is " + (shared ? "not shared" : "shared")
                            + ": use another name or unsubscribe it"));
        }
    }

    /**
     * Refuses the replacement of a subscription in use. A second consumer steals an exclusive subscription, so only
     * shared ones can be in use.
     */
    private void replaceable(Subscription existing) {
        if (existing.shared() && catalog.entryOf(existing).isAttended()) {
            throw new Refusal.Refused(existing.isInUse());
        }
    }

    private static void checkMayReplay(AddressEntry topic, boolean noLocal) {
        if (topic.retained() == null || !topic.retained().retention().keeps()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-2027",
                    topic.address()
                            + " keeps no messages, so no subscription can begin in the past: set retention-age"
                            + " or retention-bytes in the first entry of ringtable.dispatch.addresses that"
                            + " matches its name"));
        }
        if (noLocal) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-2025",
                    "a subscription with no-local cannot begin in the past: the broker does not keep who published"));
        }
    }

    private Subscription create(
            AddressEntry address,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared,
            Instant since) {
        int group = address.freeGroup();
        long id = writer.nextId();
        Subscription subscription = new Subscription(
                id,
                address.address(),
                clientId,
                name,
                group,
                address.freeBit(group),
                state.next(),
                selector,
                noLocal,
                shared);
        Replay replay = since == null ? null : Replay.begun(retained.firstSince(address.retained(), since));
        List<CatalogChange> changes = new ArrayList<>();
        changes.add(CatalogWriter.subscribe(subscription));
        if (replay != null) {
            changes.add(new CatalogChange.BeginReplay(id, replay.position()));
        }
        writer.write(changes, 1, tables -> CatalogWriter.hasSubscription(tables, subscription));
        listener.subscribed(subscription);
        catalog.add(subscription, replay);
        return subscription;
    }

    /** Counts a link that attends a shared volatile subscription. @param onGone runs when it goes */
    public Subscription subscribeVolatile(
            Address topic, String clientId, String name, Selector selector, Runnable onGone) {
        catalog.existing(topic);
        return volatiles.attend(
                clientId,
                name,
                topic,
                selector,
                () -> Subscription.inMemory(catalog.nextVolatileId(), topic, clientId, name, selector, false, true),
                onGone);
    }

    public Void leave(Subscription subscription) {
        if (!subscription.isStored()) {
            volatiles.leave(subscription);
            return null;
        }
        SubscriptionEntry entry = catalog.entryOf(subscription);
        if (entry != null) {
            entry.left();
        }
        return null;
    }

    public Void unsubscribe(SubscriptionUser user, Subscription subscription) {
        SubscriptionEntry entry = catalog.entryOf(subscription);
        if (entry == null) {
            return null;
        }
        if (entry.isAttended()) {
            throw new Refusal.Refused(
                    new Refusal(Refusal.Reason.IN_USE, "RT-2018", subscription + " has an active consumer: close it"));
        }
        owners.own(subscription.clientId(), subscription.name(), subscription, user);
        removeAndDisown(subscription);
        return null;
    }

    /** Deletes a subscription of that name, which another shard is to have. Refused as here {@link #subscribe} is. */
    public Void makeWay(SubscriptionUser user, String clientId, String name, boolean shared) {
        Subscription existing = catalog.find(clientId, name);
        if (existing != null) {
            owners.own(clientId, name, existing, user);
            checkSharing(existing, shared);
            replaceable(existing);
            removeAndDisown(existing);
        }
        return null;
    }

    /** Hears that an address is gone, with its shared volatile subscriptions. */
    void deleted(Address address) {
        volatiles.deleted(address);
    }

    /** @param owner null = nobody, unless a subscription has that key */
    public Void own(String key, String owner) {
        owners.own(key, owner);
        return null;
    }

    private void removeAndDisown(Subscription subscription) {
        String clientId = subscription.clientId();
        remove(subscription);
        if (clientId.isEmpty() || !catalog.hasSubscriptionOf(clientId)) {
            owners.disown(clientId, subscription.name());
        }
    }

    private void remove(Subscription subscription) {
        writer.write(
                List.of(new CatalogChange.Unsubscribe(subscription.id())),
                0,
                tables -> !CatalogWriter.hasSubscription(tables, subscription));
        state.forget(subscription);
        catalog.remove(subscription);
        listener.unsubscribed(subscription);
    }
}
