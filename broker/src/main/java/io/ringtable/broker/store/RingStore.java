package io.ringtable.broker.store;

import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.node.NodeTable;

/**
 * Stores one shard of a relational disruptor table. One method is one transaction, durable when it returns. Each of the
 * four interfaces says what it is for, and which threads may call it; a caller that needs one part takes that part.
 * <p>
 * Failure: {@link StoreFailure} only.
 */
public interface RingStore extends RingOwnership, RingWrites, RingReads, RingCrossings, AutoCloseable {

    StoreLimits limits();

    /**
     * Returns the directory of the database that the store lies in. That of shard 0 counts for all shards, once the
     * shard has been taken.
     */
    DirectoryStore directory();

    /** Returns what the engine tells about its log since the store was opened. */
    StoreCounters counters();

    /** Returns the nodes of the database that the shard lies in. They are no part of the shard, and need no epoch. */
    NodeTable nodes();

    @Override
    void close();
}
