/**
 * AMQP 1.0 to clients: the server, its connections and their bytes. The protocol engine (Apache Qpid protonj2) and Netty stop
 * in this package and those below. A transfer comes in through {@code publish} and goes out through {@code consume}; links begin
 * in {@code attach}.
 * <p>
 * Thread: {@code amqp-io-N}, an event loop; everything of one connection is touched by its loop alone. Other threads
 * put events into a connection's mailbox. Must not know: JDBC, the inside of the ring, Spring.
 */
package io.ringtable.broker.amqp;
