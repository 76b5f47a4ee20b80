package io.ringtable.broker.store;

import io.ringtable.broker.message.PublisherLogin;

/**
 * Holds one row of the ring or of the backlog.
 * <p>
 * Written by a claim, {@code pending} names every subscription that owes the message. Read back, {@code pending} holds
 * only the bits that the tables say are still owed. The store judges by bits alone: the caller must know whether the
 * bit's subscription lives.
 *
 * @param group group of 63 subscriptions of its address that the bits belong to; 0 for the first
 * @param pending bit set, bit 0 to bit 62
 * @param body the encoded message; null if it lies in overflow
 * @param bodyId body in overflow; 0 = none
 * @param bodyBytes length of the encoded message wherever it lies
 * @param loginId row of the login by which the message was published, {@link PublisherLogin#NOBODY_ID} or
 *     {@link PublisherLogin#UNKNOWN_ID}. A row that is read without its body has the latter.
 */
public record StoredMessage(
        long sequence,
        long addressId,
        long publishedAt,
        int priority,
        long expiresAt,
        long deliverAt,
        int group,
        long pending,
        byte[] body,
        long bodyId,
        int bodyBytes,
        int loginId) {

    /** Makes a row of a message whose publisher did not log in. */
    public StoredMessage(
            long sequence,
            long addressId,
            long publishedAt,
            int priority,
            long expiresAt,
            long deliverAt,
            int group,
            long pending,
            byte[] body,
            long bodyId,
            int bodyBytes) {
        this(
                sequence,
                addressId,
                publishedAt,
                priority,
                expiresAt,
                deliverAt,
                group,
                pending,
                body,
                bodyId,
                bodyBytes,
                PublisherLogin.NOBODY_ID);
    }

    public int referenceCount() {
        return Long.bitCount(pending);
    }
}
