package io.ringtable.benchmarks.suite;

import java.time.Duration;
import java.util.Map;

/**
 * Is measured: the tables of one case in a database of their own, which stay from round to round. Thread: the runner's.
 */
public interface Subject extends AutoCloseable {

    /**
     * Runs for a while and checks the accounts: every message that went in has come out, or is still there.
     *
     * @throws IllegalStateException if a message is missing, damaged or there twice
     */
    Map<Figure, String> measure(Duration time);

    /** Removes the database. */
    @Override
    void close();
}
