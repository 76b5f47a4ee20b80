package io.ringtable.broker.message;

/**
 * Says that a subscription no longer owes a message: an application wrote so inside a transaction of its own, now
 * committed.
 *
 * @param sequence the message
 * @param place where the message was when the row was read
 * @param addressId of the subscription; 0 if the subscription is gone
 * @param pending bits of the message's row in the backlog; 0 elsewhere
 * @param bytes encoded length of a message in the backlog; 0 elsewhere
 * @param bodyId body in overflow of a message in the backlog; 0 = none, or elsewhere
 */
public record InboxSettlement(
        long id,
        long ageMs,
        long subscriptionId,
        long sequence,
        Place place,
        long addressId,
        long pending,
        int bytes,
        long bodyId)
        implements InboxRow {

    public enum Place {
        RING,
        BACKLOG,
        /** Means that nobody still owes the message, or that the subscription is gone. */
        NOWHERE
    }
}
