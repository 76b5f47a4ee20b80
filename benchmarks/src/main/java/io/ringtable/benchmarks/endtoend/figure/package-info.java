/**
 * Counts what the clients of a load do, and makes figures of what lay between two readings.
 * <p>
 * Thread: any. Must not know: how a load is made, and which broker has it.
 */
package io.ringtable.benchmarks.endtoend.figure;
