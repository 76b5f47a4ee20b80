package io.ringtable.broker.store;

import java.time.Duration;

/** Answers a node that wants a shard. */
public sealed interface Ownership {

    /**
     * Gives the shard to the asker, and fences every earlier owner.
     *
     * @param previousEpoch epoch that the shard had before; 0 if no node has ever owned it
     * @param lease how long the asker holds the shard unless it renews the lease; null = without end: no other process
     *     can open the store
     */
    record Owned(long epoch, long previousEpoch, Duration lease) implements Ownership {}

    /**
     * Refuses the shard, since another node's lease still runs. The lease is on this shard, or on another one of a
     * database that needs a step of the schema first.
     *
     * @param leaseLeftMs until that lease ends, by the database's clock
     */
    record HeldBy(String node, long epoch, long leaseLeftMs) implements Ownership {}
}
