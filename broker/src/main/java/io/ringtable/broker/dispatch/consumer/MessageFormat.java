package io.ringtable.broker.dispatch.consumer;

import io.ringtable.broker.message.MessageGroup;

/** What the dispatcher wants of an encoded message; the AMQP layer knows how. Thread: any. */
public interface MessageFormat {

    /** Null if it is of none. */
    MessageGroup group(byte[] encoded);

    /**
     * Writes the reason of a dead letter into its message (message annotations); what would make it expire goes,
     * everything else stays as it came.
     *
     * @param encoded the message as it came
     * @param address name of the address it could not be delivered from
     * @param subscription name of the subscription that gave up; empty for a queue
     * @param reason for people
     * @param failures failed deliveries
     * @param at ms since the epoch
     */
    byte[] deadLetter(byte[] encoded, String address, String subscription, String reason, int failures, long at);
}
