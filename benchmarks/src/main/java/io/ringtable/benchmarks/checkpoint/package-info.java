/**
 * Measures checkpoints whose beginning and whose pages are under control, as Linchi Shea did.
 * <p>
 * Thread: the runner's, and one of a session that commits meanwhile. Must not know: queues, reports of results.
 */
package io.ringtable.benchmarks.checkpoint;
