package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import java.util.Collection;

/**
 * Answers what there is in the catalogue, on the caller's thread and at once. {@link CatalogMailbox} takes changes.
 * <p>
 * Thread: any.
 */
public interface CatalogLookup {

    /** The address of that name, or null. */
    Address find(String name);

    /** The stored subscription of that client and name on whatever address, or null. */
    Subscription find(String clientId, String name);

    /** The user whom a client id with stored subscriptions belongs to; null = it is nobody's yet. */
    String ownerOf(String clientId);

    /** The one subscription of a queue; null if the queue is gone. */
    Subscription readerOf(Address queue);

    /** The stored ones. */
    Collection<Address> addresses();

    Collection<Subscription> subscriptionsOf(Address address);

    /** A volatile subscription of a topic that is one consumer's: exists only as long as it is attached. */
    Subscription volatileReader(Address topic, String clientId, String name, Selector selector, boolean noLocal);
}
