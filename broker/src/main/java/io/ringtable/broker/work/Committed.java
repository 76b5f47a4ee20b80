package io.ringtable.broker.work;

import io.ringtable.broker.message.Message;

/**
 * Carries a message whose flush is durable to the dispatcher.
 *
 * @param sequence -1 if no stored subscription owes the message
 * @param first false for the further rows of a message whose address has more than one group of subscriptions
 */
public record Committed(Message message, long sequence, int group, long pending, boolean first) {}
