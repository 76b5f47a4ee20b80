/**
 * Writes deliveries as far as credit, the session's window and the socket allow, and passes the outcomes of clients to
 * the dispatcher.
 * <p>
 * Thread: the connection's event loop; the dispatcher puts into its queues. Must not know: how links are attached, the
 * committer.
 */
package io.ringtable.broker.amqp.consume;
