package io.ringtable.broker.home;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.catalog.ProducerUser;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionUser;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Refuses every change in a shard that is away.
 * <p>
 * Thread: any; stages are complete when they are returned.
 *
 * @param why gives the reason as it is at each call
 * @param names returns what is known of the shard's names
 */
record AwayCatalog(Supplier<Refusal> why, Supplier<CatalogLookup> names) implements CatalogMailbox {
    private <T> CompletionStage<T> refused() {
        return CompletableFuture.failedFuture(new Refusal.Refused(why.get()));
    }

    /** {@inheritDoc} An address of the other kind is refused as its owner refuses it. */
    @Override
    public CompletionStage<Address> ensure(String name, AddressKind kind) {
        Address known = names.get().find(name);
        return known == null || kind == null || known.kind() == kind
                ? refused()
                : CompletableFuture.failedFuture(new Refusal.Refused(known.isNo(kind)));
    }

    @Override
    public CompletionStage<Address> create(String name, AddressKind kind) {
        return refused();
    }

    @Override
    public CompletionStage<Address> createTemporary(AddressKind kind, String owner) {
        return refused();
    }

    /** {@inheritDoc} A temporary address is gone with its shard. */
    @Override
    public CompletionStage<Void> delete(Address temporary) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> deleteStored(Address address, boolean evenIfUsed) {
        return refused();
    }

    @Override
    public CompletionStage<Moving> close(Address address) {
        return refused();
    }

    @Override
    public CompletionStage<Void> reopen(Address address) {
        return refused();
    }

    @Override
    public CompletionStage<Address> receive(Moving moving) {
        return refused();
    }

    @Override
    public CompletionStage<Void> keepBeside(Address topic, int eighths) {
        return refused();
    }

    @Override
    public CompletionStage<Void> own(String key, String owner) {
        return refused();
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
        return refused();
    }

    @Override
    public CompletionStage<Subscription> subscribeVolatile(
            Address topic, String clientId, String name, Selector selector, Runnable onGone) {
        return refused();
    }

    @Override
    public void leave(Subscription subscription) {
        // Nobody attends it: all links have ended with the shard.
    }

    @Override
    public CompletionStage<Void> unsubscribe(SubscriptionUser user, Subscription subscription) {
        return refused();
    }

    @Override
    public CompletionStage<Void> makeWay(SubscriptionUser user, String clientId, String name, boolean shared) {
        return refused();
    }

    @Override
    public CompletionStage<Producer> attend(
            ProducerUser user, Address address, String name, long incarnation, Runnable fenced) {
        return refused();
    }

    @Override
    public CompletionStage<Void> putSetting(Setting setting) {
        return refused();
    }

    @Override
    public CompletionStage<Void> deleteSetting(SettingKind kind, String name) {
        return refused();
    }

    @Override
    public CompletionStage<Void> afterEarlier() {
        return refused();
    }

    @Override
    public void leave(Producer producer) {
        // Nobody attends it: all links have ended with the shard.
    }

    @Override
    public CompletionStage<Void> forget(Address address, String producer) {
        return refused();
    }

    @Override
    public CompletionStage<List<ProducerEntry>> producers(long after, int most, Address address, String filter) {
        return refused();
    }
}
