/**
 * The way in: the frames of a transfer, its target, its place in the address, the hand-off, its outcome; and the credit for the next.
 * <p>
 * Thread: the connection's event loop. Must not know: how links are attached, the dispatcher.
 */
package io.ringtable.broker.amqp.publish;
