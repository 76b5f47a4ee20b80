package io.ringtable.broker.inspect;

import java.time.Instant;
import java.util.Map;

/**
 * Shows one message decoded. Fields that it does not have are null.
 *
 * @param place ring or backlog
 * @param bytes length of the encoded message
 */
public record ShownMessage(
        long sequence,
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
