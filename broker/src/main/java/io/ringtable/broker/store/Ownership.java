package io.ringtable.broker.store;

import java.time.Duration;

/** The answer to a node that wants a shard. */
public sealed interface Ownership {

    /**
     * The shard is the asker's; every earlier owner is fenced.
     *
     * @param previousEpoch that the shard had before; 0 if nobody has ever owned it
     * @param lease how long it is the asker's unless it is renewed; null = without end: no other process can open the store
     */
    record Owned(long epoch, long previousEpoch, Duration lease) implements Ownership {}

    /**
     * Another node's lease still runs.
     *
     * @param leaseLeftMs until its lease ends, by the database's clock
     */
    record HeldBy(String node, long epoch, long leaseLeftMs) implements Ownership {}
}
