package io.ringtable.broker.store;

/**
 * One shard of a relational disruptor table. One method is one transaction, durable when it returns. Each of the three
 * interfaces says what it is for, and which threads may call it; whoever needs one part takes that part.
 * <p>
 * Failure: {@link StoreFailure} only.
 */
public interface RingStore extends RingOwnership, RingWrites, RingReads, AutoCloseable {

    StoreLimits limits();

    /** What the engine tells about its log, since the store was opened. */
    StoreCounters counters();

    @Override
    void close();
}
