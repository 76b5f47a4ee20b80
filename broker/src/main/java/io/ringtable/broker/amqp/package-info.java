/**
 * AMQP 1.0 to clients: connections, links, credit, outcomes. The protocol engine (Apache Qpid protonj2) and Netty stop
 * here.
 * <p>
 * Thread: {@code amqp-io-N}, an event loop; everything of one connection is touched by its loop alone. Other threads
 * put events into a connection's mailbox ({@link io.ringtable.broker.amqp.AmqpConnection}). Must not know: JDBC, the
 * inside of the ring, Spring.
 */
package io.ringtable.broker.amqp;
