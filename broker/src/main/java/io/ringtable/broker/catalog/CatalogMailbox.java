package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Takes changes of the catalogue. The committer makes them in order between two flushes, and answers each after it is
 * durable. {@link CatalogLookup} answers immediately.
 * <p>
 * Thread: any; every call is queued. Stages complete on the committer's thread, and callers hop back to their own.
 * Stages fail with {@link io.ringtable.broker.message.Refusal.Refused} only.
 */
public interface CatalogMailbox {
    /** Separates a topic from a time in the source of a subscription; no name of an address contains it. */
    String SINCE = "?since=";

    /**
     * Finds or creates an address. Refused if it exists as the other kind, if {@link AddressCreation} does not allow
     * it, or at the bound of addresses.
     *
     * @param kind null if the client names none
     */
    CompletionStage<Address> ensure(String name, AddressKind kind);

    /**
     * Finds or creates an address for an administrator, whatever {@link AddressCreation} allows to clients. Refused if
     * it exists as the other kind, if the name is reserved for that, or at the bound of addresses.
     */
    CompletionStage<Address> create(String name, AddressKind kind);

    /**
     * Creates an address with a unique name that lives in memory until it is deleted. The bound of a volatile
     * subscription also bounds what waits on a temporary queue.
     *
     * @param owner who answers for the address and may have half of all temporary addresses; null = nobody
     */
    CompletionStage<Address> createTemporary(AddressKind kind, String owner);

    /** Deletes a temporary address with all that waits on it; its consumers end. */
    CompletionStage<Void> delete(Address temporary);

    /**
     * Deletes a stored address with its subscriptions and what they owe. Its consumers end, and messages on their way
     * to it are refused. A later address of the same name is another address.
     *
     * @param evenIfUsed if false, the call is refused while messages are owed or durable subscriptions exist
     */
    CompletionStage<Void> deleteStored(Address address, boolean evenIfUsed);

    /**
     * Stores no further message of an address here, as it moves to another shard. Works that name it are refused with
     * {@link Address#MOVES} from now on. Until the shard stops, or {@link #reopen}.
     *
     * @return what goes with it to the next shard
     */
    CompletionStage<Moving> close(Address address);

    /** Takes {@link #close} back, or opens a topic that {@link #receive} has made. */
    CompletionStage<Void> reopen(Address address);

    /**
     * Finds or creates an address that moves here. A new one is stored in one transaction with all that goes with it. A
     * new topic is closed: its volatile subscriptions come before the first message.
     */
    CompletionStage<Address> receive(Moving moving);

    /**
     * Has a topic that moves keep no more than its next home leaves of the bound in bytes. Until the shard stops.
     *
     * @param eighths of the bound that the next home uses, 0 to 8; fewer than before change nothing
     */
    CompletionStage<Void> keepBeside(Address topic, int eighths);

    /**
     * Gives a client id, or a global subscription, to the user who owns it in the shard that a topic leaves.
     *
     * @param key as {@link ClientOwners#keyOf} has it
     * @param owner name of the user; null = nobody, unless a subscription here has that key
     */
    CompletionStage<Void> own(String key, String owner);

    /**
     * Holds what goes with an address to another shard.
     *
     * @param address as it is in the shard that it leaves
     * @param subscriptions the durable ones of a topic; none of a queue
     */
    record Moving(Address address, StoredOnce once, List<Subscription> subscriptions) {}

    /**
     * Begins to move an address to another shard. The stage completes once publishers go there; the rest follows by
     * itself. Refused where there is one shard (RT-4622).
     *
     * @param shard number of the other shard
     * @param evenIfParted whether addresses of its affinity may stay where they are
     */
    default CompletionStage<Void> move(Address address, int shard, boolean evenIfParted) {
        return CompletableFuture.failedFuture(new Refusal.Refused(new Refusal(
                Refusal.Reason.NOT_FOUND,
                "RT-4622",
                "there is no shard " + shard + ": this broker has the shard 0 alone, see ringtable.shards")));
    }

    /**
     * Finds or creates a stored subscription of a topic, and counts the caller as attending it until {@link #leave}.
     * The call replaces a subscription of the same client and name that has another topic, selector or no-local; what
     * the old one owed is gone. Jakarta Messaging 3.1 sections 8.3.3 and 8.3.4 prescribe two refusals. An existing
     * subscription that differs in sharing is refused, and so is the replacement of a shared one that a link attends.
     *
     * @param user who asks, and owns the client id, or the global subscription, from now on; refused if another user
     *     owns it. A user who manages the topic of a global subscription may use that of another
     * @param selector null = every message
     * @param noLocal whether the subscription skips messages from connections of its own client
     * @param since time from which a new subscription also gets what the topic has kept, before any new message.
     *     Refused if the topic keeps nothing; null = it begins now
     */
    CompletionStage<Subscription> subscribe(
            SubscriptionUser user,
            Address topic,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared,
            Instant since);

    /** Subscribes without a user. */
    default CompletionStage<Subscription> subscribe(
            Address topic,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared,
            Instant since) {
        return subscribe(SubscriptionUser.NOBODY, topic, clientId, name, selector, noLocal, shared, since);
    }

    /** Subscribes from now on, without a user. */
    default CompletionStage<Subscription> subscribe(
            Address topic, String clientId, String name, Selector selector, boolean noLocal, boolean shared) {
        return subscribe(topic, clientId, name, selector, noLocal, shared, null);
    }

    /**
     * Finds or creates a shared volatile subscription. The subscription lives as long as a link attends it, in a name
     * space of its own (section 8.3.2).
     *
     * @param onGone runs, where this call has made the subscription, once the last link has left it. Not if its shard
     *     has ended. Thread: that of the answer
     */
    CompletionStage<Subscription> subscribeVolatile(
            Address topic, String clientId, String name, Selector selector, Runnable onGone);

    /** Does the same for somebody who need not hear when it goes. */
    default CompletionStage<Subscription> subscribeVolatile(
            Address topic, String clientId, String name, Selector selector) {
        return subscribeVolatile(topic, clientId, name, selector, () -> {});
    }

    /** Ends one attendance of a subscription, in the order of requests and without an answer. */
    void leave(Subscription subscription);

    /**
     * Deletes a stored subscription. Refused while a link attends it, or if another user owns it, as in
     * {@link #subscribe}.
     */
    CompletionStage<Void> unsubscribe(SubscriptionUser user, Subscription subscription);

    /**
     * Deletes a stored subscription of that name, if there is one: its client makes another one in another shard.
     * Refused as {@link #subscribe} refuses to replace it.
     *
     * @param shared whether the other one is shared
     */
    CompletionStage<Void> makeWay(SubscriptionUser user, String clientId, String name, boolean shared);

    /** Unsubscribes without a user. */
    default CompletionStage<Void> unsubscribe(Subscription subscription) {
        return unsubscribe(SubscriptionUser.NOBODY, subscription);
    }

    /**
     * Opens or resumes a producer for a link that will publish numbered messages. A link that attended the same
     * producer of the address before is fenced: nothing that it still sends is stored.
     *
     * @param user who asks, and owns the producer from now on if nobody does. The call is refused if another user owns
     *     it, unless this one may open those of others
     * @param name 1 to {@link Producer#NAME_MAX} characters
     * @param incarnation 0 = an application opens the producer, which is created if there is none. Otherwise the
     *     incarnation with which a link comes back after its connection was lost; refused if the producer was opened
     *     anew since
     * @param fenced called once, on the committer's thread, when another link attends
     */
    CompletionStage<Producer> attend(
            ProducerUser user, Address address, String name, long incarnation, Runnable fenced);

    /**
     * Opens or resumes a producer without a user.
     *
     * @param share who answers for a new producer and may have created half of all producers; null = nobody
     */
    default CompletionStage<Producer> attend(
            Address address, String name, long incarnation, String share, Runnable fenced) {
        return attend(ProducerUser.nobody(share), address, name, incarnation, fenced);
    }

    /**
     * Stores what an administrator sets at run time, and replaces the setting of that kind and name. Refused at the
     * bounds of their number (RT-7603) and of their length (RT-7604). When the stage completes, those who give the
     * document meaning have it.
     */
    CompletionStage<Void> putSetting(Setting setting);

    /** Deletes what was set at run time. Refused if there is no such setting (RT-7605). */
    CompletionStage<Void> deleteSetting(SettingKind kind, String name);

    /** Completes once all that was asked for before has been answered. */
    CompletionStage<Void> afterEarlier();

    /** Ends a link's hold on a producer, in the order of requests and without an answer. */
    void leave(Producer producer);

    /**
     * Forgets a producer: what it sends again would be stored again, and its number begins anew. Refused while a link
     * attends it.
     */
    CompletionStage<Void> forget(Address address, String producer);

    /**
     * Shows known producers in the order of their ids.
     *
     * @param after an id; 0 = from the first
     * @param most producers, at least 1
     * @param address of the producers; null = all
     * @param filter text in a producer's name, whatever its case; null = all
     */
    CompletionStage<List<ProducerEntry>> producers(long after, int most, Address address, String filter);
}
