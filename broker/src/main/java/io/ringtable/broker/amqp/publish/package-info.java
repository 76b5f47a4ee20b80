/**
 * Takes transfers in: their frames, target, place in the address, hand-off and outcome, and the credit for the next.
 * <p>
 * Thread: the connection's event loop. Must not know: how links are attached, the dispatcher.
 */
package io.ringtable.broker.amqp.publish;
