package io.ringtable.broker.inspect;

import java.time.Instant;
import java.util.Map;

/**
 * Shows one message decoded. Fields that it does not have are null.
 *
 * @param sequence its number in the shard, or that which its volatile subscription gave it
 * @param subscription id of that volatile subscription; null if the message is stored
 * @param place ring, backlog or memory
 * @param bytes length of the encoded message
 */
public record ShownMessage(
        long sequence,
        Long subscription,
        String address,
        String place,
        Instant publishedAt,
        Instant expiresAt,
        Instant deliverAt,
        int priority,
        long bytes,
        Map<String, Object> header,
        Map<String, Object> properties,
        Map<String, Object> applicationProperties,
        Map<String, Object> annotations,
        DecodedBody body) {}
