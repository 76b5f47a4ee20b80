/**
 * Measures the whole broker, in a process of its own, under load from real clients over AMQP.
 * <p>
 * Thread: the clients' own, one connection each; the main thread takes the figures. Must not know: the store.
 */
package io.ringtable.benchmarks.endtoend;
