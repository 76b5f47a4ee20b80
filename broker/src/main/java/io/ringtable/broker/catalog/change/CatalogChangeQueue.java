package io.ringtable.broker.catalog.change;

import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.catalog.ProducerUser;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.deduplication.Producers;
import io.ringtable.broker.durability.CatalogWriter;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.store.StoreFailure;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Queues changes of the catalogue, and makes a bounded part of them between two flushes.
 * <p>
 * Thread: any puts in, committer takes out.
 */
public final class CatalogChangeQueue implements CatalogMailbox {
    /** Limits the transactions of the catalogue between two flushes: each costs about what a flush does. */
    private static final int CHANGES_IN_TURN = 2;
    /** Limits the requests between two flushes: most change memory only. */
    private static final int REQUESTS_IN_TURN = 64;

    /** Holds a request and the answer that its caller waits for. */
    private record Request<T>(Supplier<T> change, CompletableFuture<T> answer) {
        void execute() {
            try {
                T result = change.get();
                answer.complete(result);
            } catch (Refusal.Refused refused) {
                answer.completeExceptionally(refused);
            } catch (StoreFailure failure) { // REFUSED or NOT_WRITABLE: any other kind stops the shard
                answer.completeExceptionally(new Refusal.Refused(new Refusal(
                        Refusal.Reason.LIMIT,
                        failure.code(),
                        "the store refused the change: " + failure.getMessage())));
            } catch (RuntimeException | Error stopped) {
                answer.completeExceptionally(new Refusal.Refused(new Refusal(
                        Refusal.Reason.UNAVAILABLE, "RT-2103", "the shard stopped: " + stopped.getMessage())));
                throw stopped;
            }
        }
    }

    private final Catalog catalog;
    private final AddressChanges addresses;
    private final TemporaryAddresses temporaries;
    private final SubscriptionChanges subscriptions;
    private final Producers producers;
    private final SettingChanges settings;
    private final CatalogWriter writer;
    private final Doorbell doorbell;
    private final Queue<Request<?>> requests = new ConcurrentLinkedQueue<>();
    private volatile Refusal closed; // written by committer when it ends, read by all

    /** @param writer makes the changes durable */
    public CatalogChangeQueue(
            Catalog catalog,
            AddressChanges addresses,
            TemporaryAddresses temporaries,
            SubscriptionChanges subscriptions,
            Producers producers,
            SettingChanges settings,
            CatalogWriter writer,
            Doorbell doorbell) {
        this.catalog = catalog;
        this.addresses = addresses;
        this.temporaries = temporaries;
        this.subscriptions = subscriptions;
        this.producers = producers;
        this.settings = settings;
        this.writer = writer;
        this.doorbell = doorbell;
    }

    @Override
    public CompletionStage<Address> ensure(String name, AddressKind kind) {
        Address existing = catalog.find(name);
        if (existing != null && (kind == null || existing.kind() == kind)) {
            return CompletableFuture.completedFuture(existing);
        }
        return ask(() -> addresses.ensure(name, kind));
    }

    @Override
    public CompletionStage<Address> create(String name, AddressKind kind) {
        return ask(() -> addresses.ensureByOrder(name, kind));
    }

    @Override
    public CompletionStage<Address> createTemporary(AddressKind kind, String owner) {
        return ask(() -> temporaries.create(kind, owner));
    }

    @Override
    public CompletionStage<Void> delete(Address temporary) {
        return ask(() -> temporaries.delete(temporary));
    }

    @Override
    public CompletionStage<Void> deleteStored(Address address, boolean evenIfUsed) {
        return ask(() -> {
            addresses.deleteStored(address, evenIfUsed);
            subscriptions.deleted(address);
            return null;
        });
    }

    @Override
    public CompletionStage<Moving> close(Address address) {
        return ask(() -> addresses.close(address));
    }

    @Override
    public CompletionStage<Void> reopen(Address address) {
        return ask(() -> addresses.reopen(address));
    }

    @Override
    public CompletionStage<Address> receive(Moving moving) {
        return ask(() -> addresses.receive(moving));
    }

    @Override
    public CompletionStage<Void> keepBeside(Address topic, int eighths) {
        return ask(() -> addresses.keepBeside(topic, eighths));
    }

    @Override
    public CompletionStage<Void> own(String key, String owner) {
        return ask(() -> subscriptions.own(key, owner));
    }

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
        return ask(() -> subscriptions.subscribe(user, topic, clientId, name, selector, noLocal, shared, since));
    }

    @Override
    public CompletionStage<Subscription> subscribeVolatile(
            Address topic, String clientId, String name, Selector selector, Runnable onGone) {
        return ask(() -> subscriptions.subscribeVolatile(topic, clientId, name, selector, onGone));
    }

    @Override
    public void leave(Subscription subscription) {
        ask(() -> subscriptions.leave(subscription));
    }

    @Override
    public CompletionStage<Void> unsubscribe(SubscriptionUser user, Subscription subscription) {
        return ask(() -> subscriptions.unsubscribe(user, subscription));
    }

    @Override
    public CompletionStage<Void> makeWay(SubscriptionUser user, String clientId, String name, boolean shared) {
        return ask(() -> subscriptions.makeWay(user, clientId, name, shared));
    }

    @Override
    public CompletionStage<Producer> attend(
            ProducerUser user, Address address, String name, long incarnation, Runnable fenced) {
        return ask(() -> {
            catalog.existing(address);
            if (incarnation == 0 && address.quota().isClosed()) {
                throw new Refusal.Refused(address.moves()); // the incarnation would count nowhere
            }
            return producers.attend(user, address, name, incarnation, fenced);
        });
    }

    @Override
    public void leave(Producer producer) {
        ask(() -> producers.leave(producer));
    }

    @Override
    public CompletionStage<Void> putSetting(Setting setting) {
        return ask(() -> settings.put(setting));
    }

    @Override
    public CompletionStage<Void> deleteSetting(SettingKind kind, String name) {
        return ask(() -> settings.delete(kind, name));
    }

    @Override
    public CompletionStage<Void> afterEarlier() {
        return ask(() -> null);
    }

    @Override
    public CompletionStage<Void> forget(Address address, String producer) {
        return ask(() -> producers.forget(address, producer));
    }

    @Override
    public CompletionStage<List<ProducerEntry>> producers(long after, int most, Address address, String filter) {
        // Looked for here: the committer describes only what is shown.
        List<Long> ids = producers.ids(after, most, address, filter == null ? null : filter.toLowerCase(Locale.ROOT));
        return ask(() -> producers.entries(ids))
                .thenCompose(found -> found.size() == ids.size()
                        ? CompletableFuture.completedFuture(found)
                        : producers(after, most, address, filter)); // some were forgotten meanwhile
    }

    /** Runs something between two flushes, in the order of requests. Thread: any calls; committer runs it. */
    public void between(Runnable change) {
        ask(() -> {
            change.run();
            return null;
        });
    }

    private <T> CompletionStage<T> ask(Supplier<T> change) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        requests.add(new Request<>(change, answer));
        if (closed != null) {
            refuseAll(closed);
        }
        doorbell.ring();
        return answer;
    }

    /**
     * Makes a bounded part of the changes, so that flushes go between: messages do not wait for a thousand attaches.
     */
    public int doWork() {
        long most = writer.written() + CHANGES_IN_TURN;
        int done = 0;
        for (Request<?> request;
                done < REQUESTS_IN_TURN && writer.written() < most && (request = requests.poll()) != null;
                done++) {
            request.execute();
        }
        return done;
    }

    /** Refuses what was asked and what still comes: the committer has ended. */
    public void close(Refusal refusal) {
        closed = refusal;
        refuseAll(refusal);
    }

    private void refuseAll(Refusal refusal) {
        for (Request<?> request; (request = requests.poll()) != null; ) {
            request.answer().completeExceptionally(new Refusal.Refused(refusal));
        }
    }
}
