package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import java.util.Collection;
import java.util.List;

/**
 * Answers what there is in the catalogue, immediately and on the caller's thread. {@link CatalogMailbox} takes changes.
 * <p>
 * Thread: any.
 */
public interface CatalogLookup {

    /** Returns the address of that name, or null. */
    Address find(String name);

    /** Returns the address of that id, or null. */
    Address find(long addressId);

    /** Returns the stored subscription of that client and name on any address, or null. */
    Subscription find(String clientId, String name);

    /** Returns the shared volatile subscription of that client and name, which links attend; null if there is none. */
    Subscription findVolatile(String clientId, String name);

    /** Returns the user who owns a client id with stored subscriptions; null = nobody yet. */
    String ownerOf(String clientId);

    /** Returns the user who owns a stored subscription, by its client id or as a global one; null = nobody yet. */
    String ownerOf(Subscription subscription);

    /** Returns what administrators set at run time, of one kind and by name. */
    List<Setting> settings(SettingKind kind);

    /** Returns the setting of that kind and name, or null. */
    Setting setting(SettingKind kind, String name);

    /** Returns the one subscription of a queue; null if the queue is gone. */
    Subscription readerOf(Address queue);

    /** Returns the stored addresses. */
    Collection<Address> addresses();

    /** Returns the number of stored addresses. */
    int size();

    Collection<Subscription> subscriptionsOf(Address address);

    /** Returns how many messages a stored subscription owes by what is durable; 0 if the subscription is gone. */
    long owedBy(Subscription subscription);

    /** Tells whether a stored subscription still gets what was published before it began: more may be owed later. */
    boolean isReplaying(Subscription subscription);

    /** Returns what a topic keeps for later subscriptions; null if it keeps nothing, or its shard is away. */
    RetainedMessages retained(Address topic);

    /**
     * Creates a volatile subscription of a topic for one consumer; it exists only as long as the consumer is attached.
     */
    Subscription volatileReader(Address topic, String clientId, String name, Selector selector, boolean noLocal);
}
