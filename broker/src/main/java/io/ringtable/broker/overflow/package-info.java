/**
 * Stores bodies too large for a slot in overflow before the claim of their message, and deletes them after it is over.
 * <p>
 * Thread: {@code stager}, its own, so that no flush waits for a large body. Must not know: the catalogue, the ring,
 * AMQP, JDBC, Spring.
 */
package io.ringtable.broker.overflow;
