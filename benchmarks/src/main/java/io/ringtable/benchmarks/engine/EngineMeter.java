package io.ringtable.benchmarks.engine;

import java.util.List;
import java.util.Map;

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

    /** Returns what sessions waited for, once stopped, most first; empty if nothing waited or the engine is silent. */
    List<Wait> waits();

    /** Returns, once stopped, the name of what was contended most of each kind that the engine tells of. */
    Map<Contention, String> contended();

    @Override
    void close();
}
