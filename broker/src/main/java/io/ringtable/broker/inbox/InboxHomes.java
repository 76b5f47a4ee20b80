package io.ringtable.broker.inbox;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Tells the collector of one shard where addresses live, and passes messages on to the inbox of another shard.
 * <p>
 * Thread: inbox-collector.
 */
public interface InboxHomes {
    /** Returns the address of that name, in whichever shard it lives; null = there is none. */
    Address find(String name);

    /** Finds or creates an address in the home that a publisher's link would get. */
    CompletionStage<Address> ensure(String name, AddressKind kind);

    /**
     * Returns the part of the address that gets a message: the address itself if it has one. Null while its parts are
     * being made.
     */
    Address partOf(Address address, InboxMessage message);

    /**
     * Tells whether all messages of the address go to one shard, which may become another one. Publishers have no parts
     * to choose among, and it is not temporary.
     */
    boolean isWhole(Address address);

    /** Tells whether there is no other shard. */
    boolean areAlone();

    /** Returns the number of the shard that the address lives in. */
    int homeOf(Address address);

    /** Returns the number of the shard whose inbox is collected. */
    int here();

    /**
     * Passes rows on, all of them or none.
     *
     * @param home where their addresses live
     * @throws io.ringtable.broker.store.StoreFailure if that fails: the rows are here or there, as the next look shows
     */
    void passOn(int home, List<Long> inboxIds);
}
