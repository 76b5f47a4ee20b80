package io.ringtable.broker.inspect;

import java.util.Map;

/**
 * Shows the sections of a message as plain values: texts, numbers, booleans, lists, and maps with text keys. A section
 * that is not there is an empty map; one that cannot be read has the entry {@code unreadable} with the reason.
 *
 * @param properties by the names that {@link MessageDraft} has
 */
public record DecodedMessage(
        Map<String, Object> header,
        Map<String, Object> annotations,
        Map<String, Object> properties,
        Map<String, Object> applicationProperties,
        DecodedBody body) {

    /** Returns a property, or an annotation where there is none of that name, as text; null if both are absent. */
    public String text(String property) {
        Object found = properties.getOrDefault(property, annotations.get(property));
        return found == null ? null : found.toString();
    }
}
