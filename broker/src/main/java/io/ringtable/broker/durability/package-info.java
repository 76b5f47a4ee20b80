/**
 * Runs the writing verbs of the store to a known end. The package repeats a verb after a passing failure. The package
 * reads an unknown outcome from the tables under a new epoch, and never guesses.
 * <p>
 * Thread: {@code committer}, which waits here as long as the store is away. Must not know: the purpose of the verbs,
 * AMQP, JDBC, Spring.
 */
package io.ringtable.broker.durability;
