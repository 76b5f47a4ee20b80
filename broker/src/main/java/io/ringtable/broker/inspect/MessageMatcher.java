package io.ringtable.broker.inspect;

import io.ringtable.broker.message.Message;
import java.time.Instant;
import tools.jackson.databind.JsonNode;

/**
 * Tells whether a query wants a message by its selector and its id, and shows it as a list does.
 * <p>
 * Thread: inspector.
 */
final class MessageMatcher {
    private static final int PREVIEW_BYTES = 200;

    private final MessageQuery query;
    private final MessageCodec codec;

    MessageMatcher(MessageQuery query, MessageCodec codec) {
        this.query = query;
        this.codec = codec;
    }

    /**
     * Shows a message that the query wants, of whatever time.
     *
     * @param bytes its length, also if it is damaged and not in the message
     * @param place ring, backlog or memory
     * @return null if the query does not want it
     */
    MessageSummary match(Message message, long sequence, long bytes, String place) {
        if (query.selector() != null && !query.selector().matches(message)) {
            return null;
        }
        DecodedMessage decoded = codec.decode(message.encoded(), PREVIEW_BYTES);
        if (query.messageId() != null && !isId(decoded.properties().get("messageId"))) {
            return null;
        }
        return new MessageSummary(
                sequence,
                null,
                query.subscription().isStored() ? null : query.subscription().id(),
                message.address().name(),
                place,
                decoded.text("messageId"),
                Instant.ofEpochMilli(message.publishedAt()),
                message.login().user(),
                message.login().text(),
                MessageRows.time(message.expiresAt()),
                MessageRows.time(message.deliverAt()),
                message.priority(),
                bytes,
                false,
                0,
                decoded.text("contentType"),
                decoded.text("subject"),
                decoded.text("x-opt-ringtable-dead-letter-reason"),
                decoded.text("x-opt-ringtable-dead-letter-address"),
                preview(decoded.body()));
    }

    private boolean isId(Object id) {
        return id != null && bare(id.toString()).equals(bare(query.messageId()));
    }

    private static String bare(String id) {
        return id.startsWith("ID:") ? id.substring(3) : id;
    }

    private static String preview(DecodedBody body) {
        JsonNode json = body.json();
        String shown = json != null ? json.toString() : body.text() != null ? body.text() : body.hex();
        return shown == null || shown.length() <= PREVIEW_BYTES ? shown : shown.substring(0, PREVIEW_BYTES) + "…";
    }
}
