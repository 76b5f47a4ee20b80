package io.ringtable.broker.store;

/**
 * A stored subscription.
 *
 * @param subscriptionId never reused in its shard
 * @param clientId JMS client id (AMQP container id) that owns it; empty for queues and global shared subscriptions
 * @param name name within its client id; empty for the one subscription of a queue
 * @param group group of 63 on its address
 * @param bit 0 to 62 within its group
 * @param fromSequence it owes no message below this
 * @param dispatchBound highest sequence that may have been delivered to it; {@link Flush.DispatchBound#FOLLOWS}
 * @param selector JMS selector; null = every message
 * @param noLocal whether it gets nothing that its own client published
 * @param shared whether several links may read it at once
 */
public record SubscriptionRow(
        long subscriptionId,
        long addressId,
        String clientId,
        String name,
        int group,
        int bit,
        long fromSequence,
        long dispatchBound,
        String selector,
        boolean noLocal,
        boolean shared) {}
