package io.ringtable.benchmarks.store;

/** Counts what an engine writes to its log. Thread: that of the workload. */
interface LogMeter extends AutoCloseable {

    /** Told after each commit; an engine whose log counts for itself ignores it. */
    default void committed() {}

    /** Bytes so far, from an arbitrary beginning. */
    long bytes();

    @Override
    void close();
}
