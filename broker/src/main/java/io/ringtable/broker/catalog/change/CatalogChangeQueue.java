package io.ringtable.broker.catalog.change;

import io.ringtable.broker.agent.Doorbell;
import io.ringtable.broker.catalog.AddressEntry;
import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** {@link CatalogMailbox}: looks things up at once, hands changes to the {@link CatalogChanges}. Thread: any. */
public final class CatalogChangeQueue implements CatalogMailbox {
    private final Catalog catalog;
    private final CatalogChanges clerk;
    private final Doorbell doorbell;
    private volatile Refusal closed; // written by committer when it ends, read by all

    public CatalogChangeQueue(Catalog catalog, CatalogChanges clerk, Doorbell doorbell) {
        this.catalog = catalog;
        this.clerk = clerk;
        this.doorbell = doorbell;
    }

    @Override
    public Address find(String name) {
        AddressEntry entry = catalog.byName(name);
        return entry == null ? null : entry.address();
    }

    @Override
    public Subscription find(String clientId, String name) {
        return catalog.subscription(clientId, name);
    }

    @Override
    public Subscription readerOf(Address queue) {
        AddressEntry entry = catalog.entry(queue.id());
        return entry == null ? null : entry.reader();
    }

    @Override
    public String ownerOf(String clientId) {
        return catalog.clientOwners().of(clientId);
    }

    @Override
    public Collection<Address> addresses() {
        return catalog.addresses().stream().map(AddressEntry::address).toList();
    }

    @Override
    public Collection<Subscription> subscriptionsOf(Address address) {
        AddressEntry entry = catalog.entry(address.id());
        return entry == null
                ? List.of()
                : entry.subscriptions().stream()
                        .map(SubscriptionEntry::subscription)
                        .toList();
    }

    @Override
    public CompletionStage<Address> ensure(String name, AddressKind kind) {
        Address existing = find(name);
        if (existing != null && (kind == null || existing.kind() == kind)) {
            return CompletableFuture.completedFuture(existing);
        }
        return ask(clerk -> clerk.ensure(name, kind));
    }

    @Override
    public CompletionStage<Address> createTemporary(AddressKind kind, String owner) {
        return ask(clerk -> clerk.createTemporary(kind, owner));
    }

    @Override
    public CompletionStage<Void> delete(Address temporary) {
        return ask(clerk -> clerk.delete(temporary));
    }

    @Override
    public CompletionStage<Void> deleteStored(Address address, boolean evenIfUsed) {
        return ask(clerk -> clerk.deleteStored(address, evenIfUsed));
    }

    @Override
    public CompletionStage<Subscription> subscribe(
            String user,
            Address topic,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared,
            Instant since) {
        return ask(clerk -> clerk.subscribe(user, topic, clientId, name, selector, noLocal, shared, since));
    }

    @Override
    public CompletionStage<Subscription> subscribeVolatile(
            Address topic, String clientId, String name, Selector selector) {
        return ask(clerk -> clerk.subscribeVolatile(topic, clientId, name, selector));
    }

    @Override
    public void leave(Subscription subscription) {
        ask(clerk -> clerk.leave(subscription));
    }

    @Override
    public CompletionStage<Void> unsubscribe(String user, Subscription subscription) {
        return ask(clerk -> clerk.unsubscribe(user, subscription));
    }

    @Override
    public CompletionStage<Producer> attend(
            Address address, String name, long incarnation, String owner, Runnable fenced) {
        return ask(clerk -> clerk.attend(address, name, incarnation, owner, fenced));
    }

    @Override
    public void leave(Producer producer) {
        ask(clerk -> clerk.leave(producer));
    }

    @Override
    public Subscription volatileReader(
            Address topic, String clientId, String name, Selector selector, boolean noLocal) {
        return Subscription.inMemory(clerk.nextVolatileId(), topic, clientId, name, selector, noLocal, false);
    }

    private <T> CompletionStage<T> ask(Function<CatalogChanges, T> change) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        clerk.put(new CatalogChanges.Request<>(change, answer));
        if (closed != null) {
            clerk.refuseAll(closed);
        }
        doorbell.ring();
        return answer;
    }

    /** The committer has ended: what was asked and what still comes is refused. */
    public void close(Refusal refusal) {
        closed = refusal;
        clerk.refuseAll(refusal);
    }
}
