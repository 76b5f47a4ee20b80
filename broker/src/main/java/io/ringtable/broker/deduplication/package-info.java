/**
 * Stores each message once however often it is sent: producers with the numbers of their messages, and the duplicate ids
 * that addresses remember.
 * <p>
 * Thread: {@code committer} (before it starts: whoever recovers). Must not know: the ring, connections, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.deduplication;
