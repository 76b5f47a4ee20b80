package io.ringtable.broker.dispatch;

/**
 * Writes the reason of a dead letter into its message; the AMQP layer knows how (message annotations), everything else
 * of the message stays as it came.
 */
@FunctionalInterface
public interface DeadLetterEncoder {

    /**
     * @param encoded the message as it came
     * @param address name of the address it could not be delivered from
     * @param subscription name of the subscription that gave up; empty for a queue
     * @param reason for people
     * @param failures failed deliveries
     * @param at ms since the epoch
     */
    byte[] deadLetter(byte[] encoded, String address, String subscription, String reason, int failures, long at);
}
