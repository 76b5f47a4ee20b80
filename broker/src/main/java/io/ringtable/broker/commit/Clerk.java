package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.catalog.AddressKind;
import io.ringtable.broker.catalog.AddressQuota;
import io.ringtable.broker.catalog.CatalogInbox;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.SubscriptionRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Changes the catalogue: each change takes its place between two flushes and is durable before it is answered.
 * <p>
 * Thread: committer; requests come from any thread through {@link CatalogDoor}.
 */
final class Clerk {
    /** A request and who waits for it. */
    record Request<T>(Function<Clerk, T> change, CompletableFuture<T> answer) {
        void execute(Clerk clerk) {
            try {
                T result = change.apply(clerk);
                answer.complete(result);
            } catch (Refusal.Refused refused) {
                answer.completeExceptionally(refused);
            } catch (StoreFailure failure) { // REFUSED or NOT_WRITABLE: the rest stops the shard
                answer.completeExceptionally(new Refusal.Refused(new Refusal(
                        Refusal.Reason.LIMIT, failure.code(), "the store refused it: " + failure.getMessage())));
            } catch (RuntimeException | Error stopped) {
                answer.completeExceptionally(new Refusal.Refused(new Refusal(
                        Refusal.Reason.UNAVAILABLE, "RT-2103", "the shard stopped: " + stopped.getMessage())));
                throw stopped;
            }
        }
    }

    /** Transactions of the catalogue between two flushes: each costs about what a flush does. */
    private static final int CHANGES_IN_TURN = 2;
    /** Requests between two flushes: most change memory only. */
    private static final int REQUESTS_IN_TURN = 64;

    private final RingState state;
    private final Catalog catalog;
    private final Alterations alterations;
    private final Producers producers;
    private final CommitListener listener;
    private final CommitSettings settings;
    private final History history;
    private final Function<String, Retention> retentions; // of topics, by name
    private final Queue<Request<?>> requests = new ConcurrentLinkedQueue<>();
    private final OwnerShares temporaryShares = new OwnerShares();
    private final Map<Address, String> temporaryOwners = new HashMap<>();
    private final SharedVolatiles volatiles = new SharedVolatiles();
    private final AtomicLong volatileIds = new AtomicLong(-2);

    /**
     * @param retentions policies of topics, by name
     * @param clockMs ms since the epoch
     */
    Clerk(
            RingState state,
            Alterations alterations,
            CommitListener listener,
            CommitSettings settings,
            History history,
            Function<String, Retention> retentions,
            LongSupplier clockMs) {
        this.state = state;
        this.catalog = state.catalog();
        this.alterations = alterations;
        this.producers = new Producers(state, alterations, settings, clockMs);
        this.listener = listener;
        this.settings = settings;
        this.history = history;
        this.retentions = retentions;
    }

    /** Thread: any. */
    void put(Request<?> request) {
        requests.add(request);
    }

    /** Does a bounded part of what is asked, so that flushes go between: messages do not wait for a thousand attaches. */
    int doWork() {
        long changes = alterations.made() + CHANGES_IN_TURN;
        int done = 0;
        for (Request<?> request;
                done < REQUESTS_IN_TURN && alterations.made() < changes && (request = requests.poll()) != null;
                done++) {
            request.execute(this);
        }
        return done;
    }

    /** Answers those that will not be served any more. */
    void refuseAll(Refusal refusal) {
        for (Request<?> request; (request = requests.poll()) != null; ) {
            request.answer().completeExceptionally(new Refusal.Refused(refusal));
        }
    }

    Address ensure(String name, AddressKind wanted) {
        AddressEntry existing = catalog.byName(name);
        if (existing == null) {
            return create(name, kindToCreate(name, wanted));
        }
        if (wanted != null && existing.address().kind() != wanted) {
            throw new Refusal.Refused(existing.address().isNo(wanted));
        }
        return existing.address();
    }

    private Address create(String name, AddressKind kind) {
        long addressId = state.nextId();
        Address address =
                new Address(addressId, name, kind, new AddressQuota(settings.quotaMessages(), settings.quotaBytes()));
        CatalogChange create =
                new CatalogChange.CreateAddress(addressId, name, kind, settings.quotaMessages(), settings.quotaBytes());
        if (kind == AddressKind.TOPIC) {
            return createTopic(address, create);
        }
        Subscription reader = new Subscription(addressId + 1, address, "", "", 0, 0, state.next(), null, false, true);
        alterations.make(
                List.of(create, new CatalogChange.Subscribe(row(reader))), 2, tables -> hasAddress(tables, addressId));
        listener.created(address);
        listener.subscribed(reader);
        catalog.add(address, reader);
        return address;
    }

    private Address createTopic(Address topic, CatalogChange create) {
        Retention retention = retentions.apply(topic.name());
        long next = state.next();
        Subscription keeper = retention.keeps() ? Subscription.retention(topic.id() + 1, topic, 0, 0, next) : null;
        alterations.make(
                keeper == null ? List.of(create) : List.of(create, new CatalogChange.Subscribe(row(keeper))),
                keeper == null ? 1 : 2,
                tables -> hasAddress(tables, topic.id()));
        listener.created(topic); // the dispatcher knows it before anybody can find it and attach to it
        catalog.add(topic);
        if (keeper != null) {
            kept(keeper).retention(retention);
        }
        return topic;
    }

    /** From now on the topic keeps its messages. */
    void keep(AddressEntry topic) {
        int group = topic.freeGroup();
        Subscription keeper =
                Subscription.retention(state.nextId(), topic.address(), group, topic.freeBit(group), state.next());
        alterations.make(
                List.of(new CatalogChange.Subscribe(row(keeper))), 1, tables -> hasSubscription(tables, keeper));
        kept(keeper);
    }

    /** The dispatcher need not know it: nobody reads it. */
    private Kept kept(Subscription keeper) {
        state.keepTimes();
        catalog.add(keeper, null);
        return catalog.entry(keeper.address().id()).kept();
    }

    /** Its policy is gone, and nobody is to get any more of what is kept. */
    void keepNoLonger(Kept kept) {
        Subscription keeper = kept.subscription();
        alterations.make(
                List.of(new CatalogChange.Unsubscribe(keeper.id())), 0, tables -> !hasSubscription(tables, keeper));
        state.forget(keeper);
        catalog.remove(keeper);
    }

    /** @param owner who answers for it; null = nobody */
    Address createTemporary(AddressKind kind, String owner) {
        if (catalog.temporaries() >= settings.temporaryAddressesMax()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-2020",
                    "the shard has " + catalog.temporaries()
                            + " temporary addresses and commit.temporary-addresses-max="
                            + settings.temporaryAddressesMax() + ": raise it or delete some"));
        }
        int share = OwnerShares.shareOf(settings.temporaryAddressesMax());
        if (temporaryShares.of(owner) >= share) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-2320",
                    owner + " has " + share + " temporary addresses, half of commit.temporary-addresses-max="
                            + settings.temporaryAddressesMax() + ": delete some or raise it"));
        }
        Address address = new Address(
                nextVolatileId(),
                Address.TEMPORARY_PREFIX + UUID.randomUUID(),
                kind,
                new AddressQuota(settings.quotaMessages(), settings.quotaBytes()));
        listener.created(address);
        Subscription reader = null;
        if (kind == AddressKind.QUEUE) {
            reader = Subscription.inMemory(nextVolatileId(), address, "", "", null, false, true);
            listener.subscribed(reader);
        }
        catalog.addTemporary(address, reader);
        if (owner != null) {
            temporaryShares.took(owner);
            temporaryOwners.put(address, owner);
        }
        return address;
    }

    Void delete(Address temporary) {
        if (!temporary.isTemporary()) {
            throw new IllegalArgumentException(temporary + " is stored");
        }
        if (catalog.removeTemporary(temporary)) {
            temporaryShares.gaveBack(temporaryOwners.remove(temporary));
            state.once().forget(temporary);
            listener.deleted(temporary);
        }
        return null;
    }

    Void deleteStored(Address address, boolean evenIfUsed) {
        AddressEntry entry = existing(address);
        if (address.isTemporary()) {
            throw new IllegalArgumentException(address + " is not stored");
        }
        if (!evenIfUsed) {
            checkUnused(entry);
        }
        alterations.make(
                List.of(new CatalogChange.DeleteAddress(address.id())), 0, tables -> !hasAddress(tables, address.id()));
        state.forget(address);
        catalog.remove(entry);
        state.once().forget(address);
        listener.deleted(address);
        return null;
    }

    private void checkUnused(AddressEntry entry) {
        Address address = entry.address();
        if (!address.isQueue()) {
            int durable = entry.subscriptions().size() - (entry.kept() == null ? 0 : 1);
            if (durable > 0) {
                throw inUse(address, "durable subscriptions: " + durable);
            }
            if (entry.kept() != null && entry.kept().messages() > 0) {
                throw inUse(address, "messages kept: " + entry.kept().messages());
            }
            return;
        }
        Backlog backlog = state.backlogs().find(address.id());
        long owed = entry.subscriptions().get(0).owedInRing()
                + (backlog == null ? 0 : backlog.summary().messages() - backlog.over());
        if (owed > 0) {
            throw inUse(address, "messages owed: " + owed);
        }
    }

    private static Refusal.Refused inUse(Address address, String by) {
        return new Refusal.Refused(new Refusal(
                Refusal.Reason.IN_USE,
                "RT-2030",
                address + " is in use (" + by + "): end that, or ask for its deletion even so"));
    }

    private AddressKind kindToCreate(String name, AddressKind wanted) {
        if (name.startsWith(Address.TEMPORARY_PREFIX)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-2019",
                    "there is no temporary address '" + name + "' any more, and no other has a name that begins with '"
                            + Address.TEMPORARY_PREFIX + "'"));
        }
        AddressKind kind = settings.creation().kindOf(name, wanted);
        if (!Address.isName(name)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.INVALID,
                    "RT-2013",
                    "an address name has 1 to " + Address.NAME_MAX
                            + " characters, no control characters and no half of a surrogate pair; this one has "
                            + name.length()));
        }
        if (name.contains(CatalogInbox.SINCE)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.INVALID,
                    "RT-2024",
                    "'" + CatalogInbox.SINCE + "' is no part of an address's name: it follows the name of a topic where"
                            + " a durable subscription is to begin at a time in the past"));
        }
        if (catalog.size() >= settings.addressesMax()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-2014",
                    "the shard has " + catalog.size() + " addresses and commit.addresses-max=" + settings.addressesMax()
                            + ": raise it or delete some"));
        }
        return kind;
    }

    /**
     * @param user who asks; empty without users
     * @param since null unless it begins at a time in the past
     */
    Subscription subscribe(
            String user,
            Address topic,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared,
            Instant since) {
        AddressEntry address = existing(topic);
        if (name.equals(Subscription.RETENTION)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-2023",
                    "'" + name + "' is the name of what keeps messages: use another name"));
        }
        if (topic.isTemporary()) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED, "RT-2021", topic + " is temporary: no subscription of it is durable"));
        }
        catalog.clientOwners().own(clientId, user, alterations);
        Subscription existing = catalog.subscription(clientId, name);
        if (existing != null && existing.shared() != shared) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-2016",
                    existing + " exists and is " + (shared ? "not shared" : "shared")
                            + ": use another name or unsubscribe it"));
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

    private AddressEntry existing(Address topic) {
        AddressEntry address = catalog.entry(topic.id());
        if (address == null) {
            throw new Refusal.Refused(
                    new Refusal(Refusal.Reason.NOT_FOUND, "RT-2010", topic + " was deleted: attach to it anew"));
        }
        return address;
    }

    /** One that is not shared has been stolen by whoever asks, so that only shared ones can be in use. */
    private void replaceable(Subscription existing) {
        if (existing.shared() && catalog.entryOf(existing).isAttended()) {
            throw new Refusal.Refused(SharedVolatiles.isInUse(existing));
        }
    }

    private static void checkMayReplay(AddressEntry topic, boolean noLocal) {
        if (topic.kept() == null || !topic.kept().retention().keeps()) {
            throw new Refusal.Refused(
                    new Refusal(
                            Refusal.Reason.NOT_ALLOWED,
                            "RT-2027",
                            topic.address()
                                    + " keeps no messages, so that no subscription begins in the past: set retention-age or"
                                    + " retention-bytes in the first entry of ringtable.dispatch.addresses that matches its name"));
        }
        if (noLocal) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_ALLOWED,
                    "RT-2025",
                    "a subscription with no-local does not begin in the past: it is not kept who published a message"));
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
        long id = state.nextId();
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
        Replay replay = since == null ? null : Replay.begun(history.firstSince(address.kept(), since));
        List<CatalogChange> changes = new ArrayList<>();
        changes.add(new CatalogChange.Subscribe(row(subscription)));
        if (replay != null) {
            changes.add(new CatalogChange.BeginReplay(id, replay.position()));
        }
        alterations.make(changes, 1, tables -> hasSubscription(tables, subscription));
        listener.subscribed(subscription);
        catalog.add(subscription, replay);
        return subscription;
    }

    private static boolean hasSubscription(ShardState tables, Subscription subscription) {
        return tables.subscriptions().stream().anyMatch(row -> row.subscriptionId() == subscription.id());
    }

    Subscription subscribeVolatile(Address topic, String clientId, String name, Selector selector) {
        existing(topic);
        return volatiles.attend(
                clientId,
                name,
                topic,
                selector,
                () -> Subscription.inMemory(nextVolatileId(), topic, clientId, name, selector, false, true));
    }

    /** Thread: any. */
    long nextVolatileId() {
        return volatileIds.getAndDecrement();
    }

    Void leave(Subscription subscription) {
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

    /** @param user who asks; empty without users */
    Void unsubscribe(String user, Subscription subscription) {
        SubscriptionEntry entry = catalog.entryOf(subscription);
        if (entry == null) {
            return null;
        }
        if (entry.isAttended()) {
            throw new Refusal.Refused(
                    new Refusal(Refusal.Reason.IN_USE, "RT-2018", subscription + " has an active consumer: close it"));
        }
        ClientOwners owners = catalog.clientOwners();
        owners.own(subscription.clientId(), user, alterations);
        remove(subscription);
        if (!catalog.hasSubscriptionOf(subscription.clientId())) {
            owners.disown(subscription.clientId(), alterations);
        }
        return null;
    }

    private void remove(Subscription subscription) {
        alterations.make(
                List.of(new CatalogChange.Unsubscribe(subscription.id())),
                0,
                tables -> !hasSubscription(tables, subscription));
        state.forget(subscription);
        catalog.remove(subscription);
        listener.unsubscribed(subscription);
    }

    Producer attend(Address address, String name, long incarnation, String owner, Runnable fenced) {
        existing(address);
        return producers.attend(address, name, incarnation, owner, fenced);
    }

    Void leave(Producer producer) {
        state.once().left(producer);
        return null;
    }

    private static boolean hasAddress(ShardState tables, long addressId) {
        return tables.addresses().stream().anyMatch(row -> row.addressId() == addressId);
    }

    /** Nobody reads a new subscription yet: what comes is not flagged as perhaps delivered. */
    private SubscriptionRow row(Subscription subscription) {
        long unattended = Math.max(0, subscription.fromSequence() - 1);
        return new SubscriptionRow(
                subscription.id(),
                subscription.address().id(),
                subscription.clientId(),
                subscription.name(),
                subscription.group(),
                subscription.bit(),
                subscription.fromSequence(),
                unattended,
                subscription.selector() == null ? null : subscription.selector().text(),
                subscription.noLocal(),
                subscription.shared());
    }
}
