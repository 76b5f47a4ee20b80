/**
 * Measures the store alone: the cost of a flush on each engine, beside the naive queue on the same engine with the same
 * durability.
 * <p>
 * Thread: one, as the committer is one. Must not know: AMQP, Spring, the dispatcher.
 */
package io.ringtable.benchmarks.store;
