package io.ringtable.broker.dispatch.consumer;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.trace.BegunStep;
import io.ringtable.broker.work.Settle;

/**
 * Carries a message to one consumer of one subscription. Immutable; each new attempt is a new delivery.
 *
 * @param sequence of the message in its shard; {@link #UNNUMBERED} if it is not stored
 * @param pending the message's bits as its row has them
 * @param epoch the epoch under which it is delivered
 * @param failures deliveries that failed before: AMQP's delivery-count
 * @param redelivered whether it may have been seen before: it failed, or a connection or a broker was lost that had it
 */
public record Delivery(
        Message message,
        Subscription subscription,
        long sequence,
        int group,
        long pending,
        long epoch,
        int failures,
        boolean redelivered) {

    public static final long UNNUMBERED = -1;

    /**
     * Returns the delivery-count (AMQP 1.0 section 3.2.1). JMS clients read JMSRedelivered from it, so a message that
     * may have been seen shows at least 1. Only {@link #failures()} leads to the dead-letter queue.
     */
    public int deliveryCount() {
        return redelivered ? Math.max(1, failures) : failures;
    }

    /** Returns the settlement that ends the message for its subscription, which is stored. */
    public Settle settlement() {
        return new Settle(
                subscription,
                sequence,
                epoch,
                group,
                pending,
                message.bytes(),
                message.bodyId(),
                failures,
                BegunStep.of(message));
    }
}
