package io.ringtable.benchmarks.flush;

/** Makes batches durable, each with the settlements of the one before. Thread: one at a time. */
interface FlushPath extends AutoCloseable {

    /** Makes new messages and the settlements of all earlier ones durable, for each subscriber. */
    void flush(int messages);

    /** Ends the sessions, and leaves the database. */
    @Override
    void close();
}
