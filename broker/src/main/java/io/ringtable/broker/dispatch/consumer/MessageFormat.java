package io.ringtable.broker.dispatch.consumer;

import io.ringtable.broker.message.MessageGroup;

/** Tells the dispatcher what it wants of an encoded message; the AMQP layer knows how. Thread: any. */
public interface MessageFormat {

    /**
     * Holds what the dispatcher acts on and no column of the store has.
     *
     * @param group null if the message has none
     * @param traceAt as {@link io.ringtable.broker.message.Message#traceAt} returns it
     */
    record Facts(MessageGroup group, int traceAt) {
        public static final Facts NONE = new Facts(null, 0);

        public static Facts of(MessageGroup group, int traceAt) {
            return group == null && traceAt == 0 ? NONE : new Facts(group, traceAt);
        }
    }

    Facts facts(byte[] encoded);

    /** Returns what keeps a message in the order of its like where its queue has parts; null if nothing does. */
    String orderKey(byte[] encoded);

    /**
     * Writes the reason of a dead letter into its message, as message annotations. The copy loses the fields that would
     * make it expire; everything else stays as it came.
     *
     * @param encoded the message as it came
     * @param address name of the address that could not deliver it
     * @param clientId client id of the subscription that gave up; empty for a queue, or if the subscription has none
     * @param subscription name of the subscription that gave up; empty for a queue
     * @param reason for people
     * @param failures failed deliveries
     * @param at ms since the epoch
     */
    byte[] deadLetter(
            byte[] encoded, String address, String clientId, String subscription, String reason, int failures, long at);

    /** Returns what {@link #deadLetter} wrote into a letter; null if no policy moved the message. */
    LetterOrigin origin(byte[] encoded);

    /**
     * Removes what {@link #deadLetter} wrote into a letter. Everything else stays as it is, byte for byte; the fields
     * that made the message expire do not come back.
     */
    byte[] revived(byte[] letter);
}
