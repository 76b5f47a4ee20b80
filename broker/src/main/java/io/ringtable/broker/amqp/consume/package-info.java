/**
 * The way out: deliveries are written as credit, the session's window and the socket let it, and what clients say of them goes to the
 * dispatcher.
 * <p>
 * Thread: the connection's event loop; the dispatcher puts into its queues. Must not know: how links are attached, the committer.
 */
package io.ringtable.broker.amqp.consume;
