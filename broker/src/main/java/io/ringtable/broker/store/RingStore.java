package io.ringtable.broker.store;

/**
 * Stores one shard of a relational disruptor table. One method is one transaction, durable when it returns. Each of the
 * four interfaces says what it is for, and which threads may call it; a caller that needs one part takes that part.
 * <p>
 * Failure: {@link StoreFailure} only.
 */
public interface RingStore extends RingOwnership, RingWrites, RingReads, RingCrossings, AutoCloseable {

    StoreLimits limits();

    /** Returns what the engine tells about its log since the store was opened. */
    StoreCounters counters();

    @Override
    void close();
}
