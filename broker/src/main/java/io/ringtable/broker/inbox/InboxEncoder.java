package io.ringtable.broker.inbox;

import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.MessageGroup;
import io.ringtable.broker.message.Refusal;

/**
 * Makes a message of a row of the inbox; the AMQP layer knows how.
 * <p>
 * Thread: inbox-collector.
 */
public interface InboxEncoder {

    /**
     * Holds a message as it is stored.
     *
     * @param priority 0 to 9
     * @param expiresAt ms since the epoch; 0 = never
     * @param group null = none
     * @param traceAt as {@link io.ringtable.broker.message.Message#traceAt} returns it
     */
    record Encoded(byte[] bytes, int priority, long expiresAt, MessageGroup group, int traceAt) {}

    /**
     * @param now ms since the epoch
     * @throws Refusal.Refused if no message can be made of it: somebody wrote the row by hand
     */
    Encoded encode(InboxMessage row, long now);

    /** Returns the id of the row's group; null if it has none, or none that can be read. */
    String group(InboxMessage row);

    /** Encodes the row as a dead letter with its reason. Makes something of every row. */
    byte[] deadLetter(InboxMessage row, String reason, long now);
}
