package io.ringtable.benchmarks.store;

/** Something that publishes and settles messages durably, commit by commit. Thread: one at a time. */
public interface Workload extends AutoCloseable {

    /** One commit, durable when it returns. @return messages published in it */
    int commit();

    /** Bytes written to the engine's log since the workload began. */
    long logBytes();

    /** Processor time of this process and of the server that it started, so far. */
    double cpuSeconds();

    @Override
    void close();
}
