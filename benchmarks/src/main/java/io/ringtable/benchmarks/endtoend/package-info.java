/**
 * Measures a whole broker, in a process of its own, under load from real clients over AMQP. Measures naive queues under
 * the same load from clients over JDBC.
 * <p>
 * Thread: the clients' own, one connection each; the main thread takes the figures. Must not know: the broker's store.
 */
package io.ringtable.benchmarks.endtoend;
