/**
 * The whole broker, in a process of its own, under load from real clients over AMQP.
 * <p>
 * Thread: the clients' own, one connection each; figures are taken by the main thread. Must not know: the store.
 */
package io.ringtable.benchmarks.endtoend;
