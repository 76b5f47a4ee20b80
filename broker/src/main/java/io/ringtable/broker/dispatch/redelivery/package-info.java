/**
 * Decides what becomes of a message that its consumer did not accept, or did not accept in time: it goes back to its
 * place, rests, or moves to a queue of dead letters or of expired messages. Keeps what transactions hold away from
 * everybody until they end.
 * <p>
 * Thread: {@code dispatcher}; {@code Enlistments.enlist} is the consumer's. Must not know: reading back, fanning out,
 * browsing.
 */
package io.ringtable.broker.dispatch.redelivery;
