/**
 * Stores each message once however often its publisher sends it: by its producer's number, or by a duplicate id that
 * its address remembers.
 * <p>
 * Thread: {@code committer}, and the recovering thread before it starts. Must not know: the ring, connections, AMQP,
 * JDBC, Spring.
 */
package io.ringtable.broker.deduplication;
