package io.ringtable.benchmarks.engine;

/** Counts what an engine writes to its log. Thread: that of the workload. */
public interface LogMeter extends AutoCloseable {

    /** Notes a commit; does nothing for an engine whose log counts by itself. */
    default void committed() {}

    /** Returns the bytes so far, from an arbitrary beginning. */
    long bytes();

    @Override
    void close();
}
