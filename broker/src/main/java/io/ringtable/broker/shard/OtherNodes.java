package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.StoredSettings;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.policy.CurrentPolicies;
import io.ringtable.broker.ownership.Lease;

/**
 * Says what the other nodes of the cluster do, to the shards of this node.
 * <p>
 * Thread: any.
 */
public interface OtherNodes {
    /** Returns the node that owns the shard, if it is another one that is seen; else null. */
    Home.Owner ownerOf(int shard);

    /** Returns until when this node carries clients without having read names and settings anew. */
    Lease lease();

    /** Returns the users, rules, roles and policies of the first shard, as this node has read them last. */
    StoredSettings settings();

    /** Makes the policies of the first shard count now, and after each change, while another node owns it. */
    void follow(CurrentPolicies policies);

    /**
     * Returns how many shards the cluster has. This node may know more, for when the others do: those have not begun.
     * The number never falls.
     */
    int begun();

    /** Says for people why shards that this node knows have not begun. */
    String whyNotBegun();

    /** Tells whether this node may ask for the shard now: no other one is about to take it over. */
    boolean mayAsk(int shard);

    /**
     * Returns how long to wait before the next question for a shard, in ms. A node that has more shards asks later.
     *
     * @param usual without other nodes that ask
     */
    long pauseMs(int shard, long usual);

    /** Hears that this node is about to read the first shard, which tells of changes by itself from then on. */
    void firstIsOwn();

    /** Hears that this node serves the first shard no more. @param had what the shard had at its end */
    void firstIsOthers(StoredSettings had);
}
