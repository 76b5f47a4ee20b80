package io.ringtable.broker.catalog.change;

import io.ringtable.broker.catalog.AddressCreation;
import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.StoredOnce;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.deduplication.Deduplicator;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.retention.RetentionSubscriptions;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ProducerRow;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.work.CommitListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Creates stored addresses when clients name them, and deletes them.
 * <p>
 * Thread: committer, between flushes.
 */
public final class AddressChanges {
    private final RingState state;
    private final Catalog catalog;
    private final Deduplicator deduplicator;
    private final CatalogWriter writer;
    private final RetentionSubscriptions retention;
    private final CommitListener listener;
    private final CommitProperties settings;
    private final AddressCreation creation;
    private final Function<String, Retention> policies;

    /** @param policies how much topics keep, by name */
    public AddressChanges(
            RingState state,
            Deduplicator deduplicator,
            CatalogWriter writer,
            RetentionSubscriptions retention,
            CommitListener listener,
            CommitProperties settings,
            AddressCreation creation,
            Function<String, Retention> policies) {
        this.state = state;
        this.catalog = state.catalog();
        this.deduplicator = deduplicator;
        this.writer = writer;
        this.retention = retention;
        this.listener = listener;
        this.settings = settings;
        this.creation = creation;
        this.policies = policies;
    }

    public Address ensure(String name, AddressKind wanted) {
        return ensure(name, wanted, () -> creation.kindOf(name, wanted));
    }

    /** Finds or creates an address for an administrator. */
    public Address ensureByOrder(String name, AddressKind kind) {
        return ensure(name, kind, () -> {
            creation.check(name, kind);
            return kind;
        });
    }

    private Address ensure(String name, AddressKind wanted, Supplier<AddressKind> permitted) {
        AddressEntry existing = catalog.byName(name);
        if (existing == null) {
            return create(name, kindToCreate(name, permitted));
        }
        if (wanted != null && existing.address().kind() != wanted) {
            throw new Refusal.Refused(existing.address().isNo(wanted));
        }
        return existing.address();
    }

    private Address create(String name, AddressKind kind) {
        long addressId = writer.nextId();
        Address address = newAddress(addressId, name, kind);
        CatalogChange create = create(address);
        if (kind == AddressKind.TOPIC) {
            return createTopic(address, create);
        }
        Subscription reader = readerOf(address);
        writer.write(List.of(create, CatalogWriter.subscribe(reader)), 2, tables -> hasAddress(tables, addressId));
        created(address, reader);
        return address;
    }

    /**
     * Stores nothing more of an address here. This runs between two flushes, so all that was accepted is durable, and
     * what comes later is refused.
     */
    public CatalogMailbox.Moving close(Address address) {
        AddressEntry entry = catalog.existing(address);
        address.quota().close();
        List<Subscription> durable = address.isQueue()
                ? List.of()
                : entry.subscriptions().stream()
                        .map(SubscriptionEntry::subscription)
                        .filter(each -> !each.isRetention())
                        .toList();
        return new CatalogMailbox.Moving(address, deduplicator.storedOnce(address), durable);
    }

    /** Takes {@link #close} back. */
    public Void reopen(Address address) {
        catalog.existing(address);
        address.quota().reopen();
        return null;
    }

    /** Has a topic that moves keep less here, as its next home keeps more. */
    public Void keepBeside(Address topic, int eighths) {
        RetainedMessages kept = catalog.existing(topic).retained();
        if (kept != null) {
            kept.elsewhere(eighths);
        }
        return null;
    }

    /**
     * Finds or creates an address that moves here. That the address is there says that the rest is, too: all of it is
     * one transaction.
     */
    public Address receive(CatalogMailbox.Moving moving) {
        String name = moving.address().name();
        AddressEntry existing = catalog.byName(name);
        if (existing != null) {
            return ensure(name, moving.address().kind(), () -> moving.address().kind());
        }
        checkRoom();
        long addressId = writer.nextId();
        Address address = newAddress(addressId, name, moving.address().kind());
        List<Subscription> subscriptions = address.isQueue() ? List.of(readerOf(address)) : ofTopic(address, moving);
        List<ProducerRow> producers = producers(moving.once(), addressId, addressId + 1 + subscriptions.size());
        List<Flush.DuplicateId> ids = moving.once().ids().stream()
                .map(id -> new Flush.DuplicateId(addressId, id.position(), id.ordinal(), id.bytes()))
                .toList();
        List<CatalogChange> changes = new ArrayList<>(List.of(create(address)));
        subscriptions.forEach(each -> changes.add(CatalogWriter.subscribe(each)));
        producers.forEach(row -> changes.add(new CatalogChange.CreateProducer(row)));
        if (!ids.isEmpty()) {
            changes.add(new CatalogChange.KeepDuplicateIds(ids));
        }
        writer.write(changes, 1 + subscriptions.size() + producers.size(), tables -> hasAddress(tables, addressId));
        deduplicator.received(address, ids);
        producers.forEach(row -> deduplicator.received(row, address));
        if (address.isQueue()) {
            created(address, subscriptions.get(0));
        } else {
            address.quota().close();
            created(address, subscriptions);
        }
        return address;
    }

    private static List<ProducerRow> producers(StoredOnce once, long addressId, long firstId) {
        List<ProducerRow> producers = new ArrayList<>();
        for (StoredOnce.Numbers each : once.producers()) {
            producers.add(new ProducerRow(
                    firstId + producers.size(),
                    addressId,
                    each.name(),
                    each.incarnation(),
                    each.last(),
                    each.usedAt(),
                    each.owner()));
        }
        return producers;
    }

    /** Returns the subscriptions of a topic that comes from another shard: all begin at the next sequence of this. */
    private List<Subscription> ofTopic(Address topic, CatalogMailbox.Moving moving) {
        List<Subscription> all = new ArrayList<>();
        if (policies.apply(topic.name()).keeps()) {
            all.add(Subscription.retention(topic.id() + 1, topic, 0, 0, state.next()));
        }
        for (Subscription each : moving.subscriptions()) {
            int place = all.size();
            all.add(new Subscription(
                    topic.id() + 1 + place,
                    topic,
                    each.clientId(),
                    each.name(),
                    place / RingGeometry.BITS,
                    place % RingGeometry.BITS,
                    state.next(),
                    each.selector(),
                    each.noLocal(),
                    each.shared()));
        }
        return all;
    }

    /** Adds a topic, which is closed, and then its subscriptions: they are there when the first message comes. */
    private void created(Address topic, List<Subscription> subscriptions) {
        listener.created(topic);
        catalog.add(topic);
        for (Subscription each : subscriptions) {
            if (each.isRetention()) {
                retention.opened(each).retention(policies.apply(topic.name()));
            } else {
                listener.subscribed(each);
                catalog.add(each, null);
            }
        }
    }

    private Address newAddress(long addressId, String name, AddressKind kind) {
        Address address = new Address(
                addressId,
                name,
                kind,
                new AddressQuota(settings.quotaMessages(), settings.quotaBytes().toBytes()));
        address.quota().limit(creation.quota(name));
        return address;
    }

    private CatalogChange create(Address address) {
        return new CatalogChange.CreateAddress(
                address.id(),
                address.name(),
                address.kind(),
                settings.quotaMessages(),
                settings.quotaBytes().toBytes());
    }

    private Subscription readerOf(Address queue) {
        return new Subscription(queue.id() + 1, queue, "", "", 0, 0, state.next(), null, false, true);
    }

    private void created(Address queue, Subscription reader) {
        listener.created(queue);
        listener.subscribed(reader);
        catalog.add(queue, reader);
    }

    private Address createTopic(Address topic, CatalogChange create) {
        Retention policy = policies.apply(topic.name());
        long next = state.next();
        Subscription keeper = policy.keeps() ? Subscription.retention(topic.id() + 1, topic, 0, 0, next) : null;
        writer.write(
                keeper == null ? List.of(create) : List.of(create, CatalogWriter.subscribe(keeper)),
                keeper == null ? 1 : 2,
                tables -> hasAddress(tables, topic.id()));
        listener.created(topic); // the dispatcher knows the topic before any client can find it and attach
        catalog.add(topic);
        if (keeper != null) {
            retention.opened(keeper).retention(policy);
        }
        return topic;
    }

    public Void deleteStored(Address address, boolean evenIfUsed) {
        AddressEntry entry = catalog.existing(address);
        if (address.isTemporary()) {
            throw new IllegalArgumentException(address + " is not stored");
        }
        if (!evenIfUsed) {
            checkUnused(entry);
        }
        writer.write(
                List.of(new CatalogChange.DeleteAddress(address.id())), 0, tables -> !hasAddress(tables, address.id()));
        state.forget(address);
        catalog.remove(entry);
        deduplicator.forget(address);
        listener.deleted(address);
        return null;
    }

    private void checkUnused(AddressEntry entry) {
        Address address = entry.address();
        boolean hasMoved = address.quota().isClosed(); // with its durable subscriptions
        if (!address.isQueue() && !hasMoved) {
            int durable = entry.subscriptions().size() - (entry.retained() == null ? 0 : 1);
            if (durable > 0) {
                throw inUse(address, "durable subscriptions: " + durable);
            }
            if (entry.retained() != null && entry.retained().messages() > 0) {
                throw inUse(address, "messages kept: " + entry.retained().messages());
            }
            return;
        }
        long owed = address.isQueue()
                ? state.owed(entry)
                : entry.subscriptions().stream()
                        .mapToLong(each -> each.owedInRing() + each.owedInBacklog())
                        .sum();
        if (owed > 0) {
            throw inUse(address, "messages owed: " + owed);
        }
    }

    private static Refusal.Refused inUse(Address address, String by) {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.IN_USE,
                "RT-2030",
                address + " is in use (" + by + "): end that, or force the deletion"));
    }

    private AddressKind kindToCreate(String name, Supplier<AddressKind> permitted) {
        AddressCreation.checkName(name);
        AddressKind kind = permitted.get();
        checkRoom();
        return kind;
    }

    private void checkRoom() {
        if (catalog.size() >= settings.addressesMax()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-2014",
                    "the shard has " + catalog.size() + " addresses and ringtable.commit.addresses-max="
                            + settings.addressesMax()
                            + ": raise it or delete some"));
        }
    }

    private static boolean hasAddress(ShardState tables, long addressId) {
        return tables.addresses().stream().anyMatch(row -> row.addressId() == addressId);
    }
}
