package io.ringtable.broker.inspect;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;

/**
 * Says which messages of a subscription to list.
 *
 * @param subscription of a queue the only one
 * @param selector null = every message
 * @param messageId null = every message; with or without the {@code ID:} that JMS puts before it
 * @param since earliest time of publishing, ms since the epoch; 0 = any
 * @param until latest time of publishing, ms since the epoch; {@link Long#MAX_VALUE} = any
 * @param limit most messages in the answer; at least 1
 * @param after only messages of a higher sequence; -1 = all
 */
public record MessageQuery(
        Subscription subscription,
        Selector selector,
        String messageId,
        long since,
        long until,
        int limit,
        long after) {}
