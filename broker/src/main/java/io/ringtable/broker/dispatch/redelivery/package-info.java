/**
 * Decides what becomes of a message that its consumer did not accept, or not in time. The message goes back to its
 * place, rests, or moves to a queue of dead letters or of expired messages. Keeps the messages that transactions hold
 * away from other consumers until the transactions end.
 * <p>
 * Thread: {@code dispatcher}; {@code Enlistments.enlist} runs on the consumer's. Must not know: reading back, fanning
 * out, browsing.
 */
package io.ringtable.broker.dispatch.redelivery;
