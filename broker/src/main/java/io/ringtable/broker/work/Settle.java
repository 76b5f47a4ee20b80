package io.ringtable.broker.work;

import io.ringtable.broker.catalog.Subscription;

/**
 * A subscription no longer owes a message.
 *
 * @param epoch under which the message was delivered: settlements of an earlier one are checked against what survived
 * @param pending the message's bits as its row has them (ring or backlog), to know when the last reference goes
 * @param bytes encoded length, given back to the quota with the last reference
 * @param bodyId its body in overflow, deleted with the last reference; 0 = none, {@link #BODY_UNKNOWN} = one whose id is not at hand
 * @param failures failed deliveries counted so far: above 0 there is a redelivery row to remove
 */
public record Settle(
        Subscription subscription,
        long sequence,
        long epoch,
        int group,
        long pending,
        int bytes,
        long bodyId,
        int failures) {

    public static final long BODY_UNKNOWN = -1;
}
