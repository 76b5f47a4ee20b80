/**
 * Bodies too large for a slot: stored in overflow before their message is claimed, deleted after it is over.
 * <p>
 * Thread: {@code stager}, its own, so that no flush waits for a large body. Must not know: the catalogue, the ring, AMQP,
 * JDBC, Spring.
 */
package io.ringtable.broker.overflow;
