package io.ringtable.benchmarks.store;

/** Publishes and settles messages durably, commit by commit. Thread: one at a time. */
public interface Workload extends AutoCloseable {

    /**
     * Makes one commit, durable when this returns.
     *
     * @return messages published in it
     */
    int commit();

    /** Returns the bytes written to the engine's log since the workload began. */
    long logBytes();

    /** Returns the processor time of this process and of the server that it started, so far. */
    double cpuSeconds();

    @Override
    void close();
}
