package io.ringtable.benchmarks.flush;

import java.util.Optional;

/** Makes batches durable, each with the settlements of the one before. Thread: one at a time. */
interface FlushPath extends AutoCloseable {

    /** Makes new messages and the settlements of all earlier ones durable, for each subscriber. */
    void flush(int messages);

    /** Returns why commits of its own sessions may be lost in a crash of the machine; empty if they may not. */
    Optional<String> whyNotDurable();

    /** Ends the sessions, and leaves the database. */
    @Override
    void close();
}
