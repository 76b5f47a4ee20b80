package io.ringtable.broker.work;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.trace.BegunStep;

/**
 * Settles a message for one subscription, which no longer owes it.
 *
 * @param epoch under which the message was delivered: the committer checks settlements of an earlier one against what
 *     survived
 * @param pending bits of the message as its row has them (ring or backlog); they tell when the last reference goes
 * @param bytes encoded length, given back to the quota with the last reference
 * @param bodyId of the body in overflow, deleted with the last reference; 0 = none, {@link #BODY_UNKNOWN} = a body
 *     whose id is not at hand
 * @param failures failed deliveries counted before; above 0 a redelivery row must go too
 * @param trace null if nobody records the trace of the message, or if the message is not at hand
 */
public record Settle(
        Subscription subscription,
        long sequence,
        long epoch,
        int group,
        long pending,
        int bytes,
        long bodyId,
        int failures,
        BegunStep trace) {

    public static final long BODY_UNKNOWN = -1;
}
