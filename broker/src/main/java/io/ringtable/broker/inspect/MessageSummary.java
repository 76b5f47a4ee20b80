package io.ringtable.broker.inspect;

import java.time.Instant;

/**
 * Shows a message in a list. Fields that a message does not have are null.
 *
 * @param sequence its number in the shard, or that which its volatile subscription gave it
 * @param shard that has it, where the node has several; else null
 * @param subscription id of that volatile subscription; null if the message is stored
 * @param place ring, backlog or memory
 * @param login user who logged in to publish it
 * @param publishedBy that login in words, or who else it was
 * @param bytes length of the encoded message
 * @param failures failed deliveries so far
 * @param redelivered whether one has failed
 * @param reason why it became a dead letter
 * @param origin the address that it came from as a dead letter
 * @param preview the beginning of the body
 */
public record MessageSummary(
        long sequence,
        Integer shard,
        Long subscription,
        String address,
        String place,
        String messageId,
        Instant publishedAt,
        String login,
        String publishedBy,
        Instant expiresAt,
        Instant deliverAt,
        int priority,
        long bytes,
        boolean redelivered,
        int failures,
        String contentType,
        String subject,
        String reason,
        String origin,
        String preview) {

    MessageSummary failed(int count) {
        return with(shard, count > 0, count);
    }

    /** Returns the same message, and says in which shard it is. */
    public MessageSummary in(int itsShard) {
        return with(itsShard, redelivered, failures);
    }

    private MessageSummary with(Integer itsShard, boolean itsRedelivered, int itsFailures) {
        return new MessageSummary(
                sequence,
                itsShard,
                subscription,
                address,
                place,
                messageId,
                publishedAt,
                login,
                publishedBy,
                expiresAt,
                deliverAt,
                priority,
                bytes,
                itsRedelivered,
                itsFailures,
                contentType,
                subject,
                reason,
                origin,
                preview);
    }
}
