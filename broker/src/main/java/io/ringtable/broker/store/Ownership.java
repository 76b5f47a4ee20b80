package io.ringtable.broker.store;

/** The answer to a node that wants a shard. */
public sealed interface Ownership {

    /**
     * The shard is the asker's; every earlier owner is fenced.
     *
     * @param previousEpoch that the shard had before; 0 if nobody has ever owned it
     */
    record Owned(long epoch, long previousEpoch) implements Ownership {}

    /**
     * Another node's lease still runs.
     *
     * @param leaseLeftMs until its lease ends, by the database's clock
     */
    record HeldBy(String node, long epoch, long leaseLeftMs) implements Ownership {}
}
