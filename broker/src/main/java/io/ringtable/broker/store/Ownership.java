package io.ringtable.broker.store;

/** The answer to a node that wants a shard. */
public sealed interface Ownership {

    /** The shard is the asker's; every earlier owner is fenced. */
    record Owned(long epoch) implements Ownership {}

    /**
     * Another node's lease still runs.
     *
     * @param leaseLeftMs until its lease ends, by the database's clock
     */
    record HeldBy(String node, long epoch, long leaseLeftMs) implements Ownership {}
}
