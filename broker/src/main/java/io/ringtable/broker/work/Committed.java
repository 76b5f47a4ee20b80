package io.ringtable.broker.work;

import io.ringtable.broker.message.Message;

/**
 * A message whose flush is durable, on its way to the dispatcher.
 *
 * @param sequence -1 if nobody who is stored owes it
 * @param first false for the rows that an address with more than one group of subscriptions adds
 */
public record Committed(Message message, long sequence, int group, long pending, boolean first) {}
