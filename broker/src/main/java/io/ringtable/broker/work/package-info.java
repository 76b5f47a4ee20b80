/**
 * What is handed to the committer, and what comes back: works, settlements, their completions, and what the committer tells
 * those that follow it.
 * <p>
 * Thread: any hands in; the committer calls back, and whoever is called hands over to its own thread. Must not know: how
 * a work becomes durable, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.work;
