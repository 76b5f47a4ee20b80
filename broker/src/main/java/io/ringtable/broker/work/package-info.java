/**
 * Defines what passes to the committer and back: works, settlements, their completions, and events for the parts that
 * follow the committer.
 * <p>
 * Thread: any hands in; the committer calls back, and the callee hands over to its own thread. Must not know: how a
 * work becomes durable, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.work;
