package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/**
 * Takes changes of the catalogue. The committer makes them in their order between two flushes; each is durable before it is answered.
 * {@link CatalogLookup} is answered at once.
 * <p>
 * Thread: any; every call is queued. Stages complete on the committer's thread; whoever waits hops back to its own. They fail with
 * {@link io.ringtable.broker.message.Refusal.Refused} only.
 */
public interface CatalogMailbox {
    /** What no address's name contains: a time follows it where a topic is named as the source of a subscription. */
    String SINCE = "?since=";

    /**
     * Finds or creates; refused if it exists as the other kind, if it may not be created ({@link AddressCreation}), or at the bound of
     * addresses.
     *
     * @param kind null where nobody says
     */
    CompletionStage<Address> ensure(String name, AddressKind kind);

    /**
     * Creates an address with a name of its own that lives in memory until it is deleted. What waits on a temporary queue is
     * bounded as what waits for a volatile subscription is.
     *
     * @param owner who answers for it, and may have half of the temporary addresses that there may be; null = nobody
     */
    CompletionStage<Address> createTemporary(AddressKind kind, String owner);

    /** Deletes a temporary address with all that waits on it; its consumers end. */
    CompletionStage<Void> delete(Address temporary);

    /**
     * Deletes a stored address with its subscriptions, and what is owed to them; its consumers end, and what is on its way there is
     * refused. One of its name that is made later is another.
     *
     * @param evenIfUsed else it is refused while messages are owed or durable subscriptions are there
     */
    CompletionStage<Void> deleteStored(Address address, boolean evenIfUsed);

    /**
     * Finds or creates a stored subscription of a topic, and counts the caller as attending it until {@link #leave}. One of
     * the same client and name on another topic, or with another selector or no-local, is replaced: what the old one owed is
     * gone. As Jakarta Messaging 3.1 sections 8.3.3 and 8.3.4 prescribe, one that differs in sharing is refused, and so is
     * the replacement of a shared one that somebody attends.
     *
     * @param user who asks, whose the client id is from now on; refused if it is another's; empty without users
     * @param selector null = every message
     * @param noLocal whether it gets nothing that a connection of its own client published
     * @param since if it is created it also gets what the topic has kept since, before anything that is published from now on;
     *     refused where the topic keeps nothing; null = it begins now
     */
    CompletionStage<Subscription> subscribe(
            String user,
            Address topic,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared,
            Instant since);

    /** The same without users. */
    default CompletionStage<Subscription> subscribe(
            Address topic,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared,
            Instant since) {
        return subscribe("", topic, clientId, name, selector, noLocal, shared, since);
    }

    /** The same for one that begins now. */
    default CompletionStage<Subscription> subscribe(
            Address topic, String clientId, String name, Selector selector, boolean noLocal, boolean shared) {
        return subscribe(topic, clientId, name, selector, noLocal, shared, null);
    }

    /**
     * The same for a shared volatile subscription: it is there as long as somebody attends it, and has a name space of its
     * own (section 8.3.2).
     */
    CompletionStage<Subscription> subscribeVolatile(Address topic, String clientId, String name, Selector selector);

    /** One who subscribed attends no more. Takes its place in the order of requests; there is no answer. */
    void leave(Subscription subscription);

    /**
     * Deletes a stored subscription; refused while somebody attends it, or if its client id is another user's.
     *
     * @param user who asks; empty without users
     */
    CompletionStage<Void> unsubscribe(String user, Subscription subscription);

    /** The same without users. */
    default CompletionStage<Void> unsubscribe(Subscription subscription) {
        return unsubscribe("", subscription);
    }

    /**
     * A link is to publish numbered messages. Whoever attended the same producer of the address before is fenced: nothing that it
     * still sends is stored.
     *
     * @param name 1 to {@link Producer#NAME_MAX} characters
     * @param incarnation 0 = an application opens the producer, which is created if there is none; else the one that it was
     *     given, with which it comes back after its connection was lost: refused if the producer was opened anew since
     * @param owner who answers for it if it is created, and may have created half of the producers that there may be; null =
     *     nobody
     * @param fenced called once, on the committer's thread, when another one attends
     */
    CompletionStage<Producer> attend(Address address, String name, long incarnation, String owner, Runnable fenced);

    /** The link has ended. Takes its place in the order of requests; there is no answer. */
    void leave(Producer producer);
}
