package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.Work;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Gives the code that brings clients to a shard the ways into it. Where a node has several, it brings them to all of
 * them as to one.
 * <p>
 * Thread: any.
 */
public interface Shard {
    /** Takes changes of the catalogue. */
    CatalogMailbox catalog();

    /**
     * Takes changes of the catalogue for one consumer, who may read a topic with parts at other nodes too. A
     * subscription of which this node has no part is null.
     *
     * @param others attaches the consumer there
     */
    default CatalogMailbox catalogWith(PartsElsewhere others) {
        return catalog();
    }

    /** Answers at once what there is in the catalogue. */
    CatalogLookup lookup();

    /** Returns what holds for addresses, now and after each change. */
    CurrentPolicies policies();

    /** Hears of what is done for sampled messages. */
    MessageTraces traces();

    /**
     * Returns the lease: nothing leaves the node once it is over. That of several shards runs as long as one of theirs.
     */
    Lease lease();

    /** Returns how many duplicate ids each stored address remembers; 0 = none. */
    int duplicateIds();

    /** Returns the shard that the address lives in. */
    Home homeOf(Address address);

    /** Returns the shards in which the address has a part, by number; its home alone if it has no others. */
    default List<Home> homesOf(Address address) {
        return List.of(homeOf(address));
    }

    /**
     * Returns the part of an address to which a new link is attached. If the link may have any of them, that is one
     * that is there. If it has to have all, that is one that is away. Otherwise it is the address itself.
     *
     * @param publishes whether the link publishes, else it receives
     */
    default Address partFor(Address address, boolean publishes) {
        return address;
    }

    /** Returns a part of a topic that this node serves, also the old home of one that moves; else the same address. */
    default Address ownPart(Address topic) {
        return topic;
    }

    /** Returns why the home of the address, or of this part of it, takes nothing now; null if it does. */
    default Refusal refusalFor(Address address) {
        return homeOf(address).refusal();
    }

    /**
     * Returns why nobody can say whether there is a durable subscription: it may live in a shard that is away. Null if
     * the look-up's answer holds.
     */
    default Refusal refusalFor(String clientId, String name) {
        return null;
    }

    /** Has what other nodes have made and deleted known here, up to now. @return fails if nobody can tell */
    default CompletionStage<Void> refresh() {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Has all parts of an address known here that other nodes have placed, up to now, and those of this node made.
     *
     * @return fails if nobody can tell
     */
    default CompletionStage<Void> refresh(String address) {
        return refresh();
    }

    /** Returns the shard that made the temporary address of that name, if this node does not serve it; else null. */
    default Home elsewhere(String temporary) {
        return null;
    }

    /** Returns the shard that has the durable subscription, if this node does not serve it; null if there is none. */
    default Home elsewhere(String clientId, String name) {
        return null;
    }

    /**
     * Returns what takes all that one consumer of the subscription says: the dispatcher of its home. If a node has
     * several shards, a stored queue may have parts in others; then it is one that serves the consumer from all parts.
     *
     * @param home of the subscription's address
     */
    default DispatcherMailbox dispatcherOf(Subscription subscription, Home home) {
        return home.dispatcher();
    }

    /**
     * Returns what the home makes durable of the work of a transaction: everything, save messages to temporary
     * addresses of other shards. Those follow by themselves once that is durable.
     *
     * @param home of what is stored in the work, or else of its first message
     */
    default Work atHome(Home home, Work work) {
        return work;
    }

    /**
     * Returns the parts among which publishers of the address choose; null if it has one, as every address has where
     * there is one shard.
     */
    default Parts partsOf(Address address) {
        return null;
    }

    /** Gives up the large bodies of messages that will not be stored. */
    default void abandon(List<Message> messages) {
        for (Message message : messages) {
            if (message.bodyId() != 0) {
                homeOf(message.address()).stager().abandon(List.of(message.bodyId()));
            }
        }
    }

    /** Returns the move of an address to another shard; null if it stays where it is. */
    default AddressMove moveOf(String name) {
        return null;
    }

    /** Has the inbox of that shard looked into at once: rows have been passed on to it. */
    void collectNow(int shard);
}
