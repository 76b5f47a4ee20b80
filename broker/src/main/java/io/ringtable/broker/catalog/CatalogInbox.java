package io.ringtable.broker.catalog;

import java.util.Collection;
import java.util.concurrent.CompletionStage;

/**
 * The door to the catalogue: look-ups from any thread at once, changes through the committer, durable before they are
 * answered.
 * <p>
 * Thread: any. Stages complete on the committer's thread; whoever waits hops back to its own. They fail with
 * {@link io.ringtable.broker.message.Refusal.Refused} only.
 */
public interface CatalogInbox {

    /** The address of that name, or null. */
    Address find(String name);

    /** The stored subscription of that client and name on whatever address, or null. */
    Subscription find(String clientId, String name);

    /** The one subscription of a queue. */
    Subscription readerOf(Address queue);

    Collection<Address> addresses();

    Collection<Subscription> subscriptionsOf(Address address);

    /** Finds or creates; refused if it exists as the other kind, if creation is switched off, or at the bound of addresses. */
    CompletionStage<Address> ensure(String name, AddressKind kind);

    /**
     * Finds or creates a stored subscription of a topic. One of the same client and name on another topic, or with
     * another selector or sharing, is replaced: what the old one owed is gone, as Jakarta Messaging 3.1 section 8.4
     * prescribes.
     *
     * @param selector null = every message
     */
    CompletionStage<Subscription> subscribe(
            Address topic, String clientId, String name, String selector, boolean shared);

    CompletionStage<Void> unsubscribe(Subscription subscription);

    /** A volatile subscription of a topic: exists only as long as a consumer is attached to it. */
    Subscription volatileReader(Address topic, String clientId, String name, String selector);
}
