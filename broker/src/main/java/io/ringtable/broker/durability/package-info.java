/**
 * Runs the verbs of the store that write to a known end: passing failures are repeated, an unknown outcome is read from
 * the tables under a new epoch, never guessed.
 * <p>
 * Thread: {@code committer}, which waits here as long as the store is away. Must not know: what the verbs are for, AMQP,
 * JDBC, Spring.
 */
package io.ringtable.broker.durability;
