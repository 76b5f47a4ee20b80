package io.ringtable.broker.inspect;

import java.time.Instant;

/**
 * Shows a message in a list. Fields that a message does not have are null.
 *
 * @param sequence its number in the shard, or that which its volatile subscription gave it
 * @param subscription id of that volatile subscription; null if the message is stored
 * @param place ring, backlog or memory
 * @param bytes length of the encoded message
 * @param failures failed deliveries so far
 * @param redelivered whether one has failed
 * @param reason why it became a dead letter
 * @param origin the address that it came from as a dead letter
 * @param preview the beginning of the body
 */
public record MessageSummary(
        long sequence,
        Long subscription,
        String address,
        String place,
        String messageId,
        Instant publishedAt,
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
        return new MessageSummary(
                sequence,
                subscription,
                address,
                place,
                messageId,
                publishedAt,
                expiresAt,
                deliverAt,
                priority,
                bytes,
                count > 0,
                count,
                contentType,
                subject,
                reason,
                origin,
                preview);
    }
}
