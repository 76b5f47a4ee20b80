/**
 * Keeps room in the ring: clears the stretch behind the gate, so that slots come free for their next lap. Deletes the
 * messages of the backlog that nobody owes.
 * <p>
 * Thread: {@code committer}, between flushes. Must not know: who publishes or reads, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.reclaim;
