/**
 * Puts the queue that everybody writes first behind the same clients' work as a broker. Such a queue is a table, an
 * INSERT to publish, a DELETE of the first row to consume, and a row for each subscriber.
 * <p>
 * Thread: a publisher has the connection of its caller's thread, a consumer has a thread and a connection of its own.
 * Must not know: scenarios, brokers' processes.
 */
package io.ringtable.benchmarks.endtoend.naive;
