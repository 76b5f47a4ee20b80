/**
 * Drives what publishes and receives in a load, whatever stands behind it.
 * <p>
 * Thread: each sender and each receiver has a connection of its own and is used by one thread at a time. Must not know:
 * scenarios, brokers' processes, the store.
 */
package io.ringtable.benchmarks.endtoend.driver;
