package io.ringtable.broker.inspect;

import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Says what an operator writes into a message: a new one, or the copy of another. In a copy, an absent part stays as it
 * was, and a null value removes what has its name.
 *
 * @param headers durable, priority (0 to 9), ttlMs; null = none
 * @param properties messageId, subject, replyTo, correlationId, contentType, contentEncoding, groupId, groupSequence,
 *     replyToGroupId; null = none
 * @param applicationProperties by name: texts, numbers, booleans; null = none
 * @param body null = none
 * @param bodyType text, json or base64; null = text
 */
public record MessageDraft(
        Map<String, Object> headers,
        Map<String, Object> properties,
        Map<String, Object> applicationProperties,
        JsonNode body,
        String bodyType) {

    public MessageDraft {
        headers = headers == null ? Map.of() : headers;
        properties = properties == null ? Map.of() : properties;
        applicationProperties = applicationProperties == null ? Map.of() : applicationProperties;
        bodyType = bodyType == null ? "text" : bodyType;
    }
}
