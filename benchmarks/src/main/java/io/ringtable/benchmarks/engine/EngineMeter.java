package io.ringtable.benchmarks.engine;

import java.util.Map;
import java.util.Optional;

/** Counts what an engine does from the meter's opening until {@link #stop}. Thread: the runner's. */
public interface EngineMeter extends AutoCloseable {

    /** Ends all looking: the work is done, and its sessions are still open. Need not be called. */
    void pause();

    /** Returns what was counted so far, without the work that a server learns of at the end of a session. */
    Map<Count, Long> soFar();

    /**
     * Ends the counting, and returns what was counted. The sessions of the run are closed before: a server learns of
     * their work at their end.
     *
     * @return a value for each count that the engine tells; the others are absent
     */
    Map<Count, Long> stop();

    /** Returns the most frequent wait, once stopped; empty if nothing waited or the engine does not tell. */
    Optional<Wait> topWait();

    @Override
    void close();
}
