/**
 * Serves AMQP 1.0: the server, its connections and their bytes. The protocol engine (Apache Qpid protonj2) and Netty
 * stop in this package and those below. A transfer comes in through {@code publish} and goes out through
 * {@code consume}; links begin in {@code attach}.
 * <p>
 * Thread: {@code amqp-io-N}, an event loop, which alone touches everything of its connections. Other threads put events
 * into a connection's mailbox. Must not know: JDBC, the inside of the ring, Spring.
 */
package io.ringtable.broker.amqp;
