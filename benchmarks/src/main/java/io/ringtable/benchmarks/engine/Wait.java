package io.ringtable.benchmarks.engine;

/**
 * Names what the sessions of a run waited for most.
 *
 * @param event in the engine's words
 * @param share of the sessions' time, 0 to 1
 */
public record Wait(String event, double share) {}
