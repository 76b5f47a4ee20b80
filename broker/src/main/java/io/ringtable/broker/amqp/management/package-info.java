/**
 * Serves the management node, {@code $management}: a request is a message to it, and the answer is a message to where
 * the request says.
 * <p>
 * Thread: the connection's event loop; thread {@code amqp-management} reads bodies, asks for operations and writes
 * answers. Must not know: what the operations do.
 */
package io.ringtable.broker.amqp.management;
