package io.ringtable.client.internal.encoding;

import io.ringtable.client.Message;
import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.error.Errors;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.EncodingWriter;
import io.ringtable.wire.Sections;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Encodes a message (AMQP 1.0 section 3.2) as it goes over the wire, without fields that have their default.
 * <p>
 * Thread: the publisher's own; each thread has a buffer of its own.
 */
public final class MessageEncoder {

    private static final String JSON_CONTENT_TYPE = "application/json";

    private static final ThreadLocal<EncodingWriter> WRITERS = ThreadLocal.withInitial(EncodingWriter::new);

    private final JsonMapper jsonMapper;

    public MessageEncoder(JsonMapper jsonMapper) {
        this.jsonMapper = jsonMapper;
    }

    /** @throws RingtableException RT-5014 if the body cannot be written as JSON */
    public byte[] encode(Message message) {
        EncodingWriter writer = WRITERS.get();
        writer.reset();
        header(writer, message);
        properties(writer, message);
        applicationProperties(writer, message.properties());
        body(writer, message);
        return writer.toBytes();
    }

    private static void header(EncodingWriter writer, Message message) {
        boolean normal = message.priority() == Message.PRIORITY_NORMAL;
        boolean forEver = message.timeToLive().isEmpty();
        if (!message.isDurable() && normal && forEver) {
            return;
        }
        writer.section(Sections.HEADER);
        int start = writer.beginShortList();
        int count = 1;
        writer.writeBoolean(message.isDurable());
        if (!normal || !forEver) {
            writer.writeUbyte(message.priority());
            count++;
        }
        if (!forEver) {
            writer.writeUint(message.timeToLive().get().toMillis());
            count++;
        }
        writer.endShortList(start, count);
    }

    /**
     * Writes message-id, user-id, to, subject, reply-to, correlation-id, content-type, content-encoding,
     * absolute-expiry-time, creation-time, group-id (AMQP 1.0 section 3.2.4).
     */
    private static void properties(EncodingWriter writer, Message message) {
        String contentType =
                message.contentType().orElse(message.bodyKind() == Message.BodyKind.JSON ? JSON_CONTENT_TYPE : null);
        String correlationId = message.correlationId().orElse(null);
        String replyTo = message.replyTo().orElse(null);
        String subject = message.subject().orElse(null);
        String messageId = message.messageId().orElse(null);
        String groupId = message.groupId().orElse(null);
        int count;
        if (groupId != null) {
            count = 11;
        } else if (contentType != null) {
            count = 7;
        } else if (correlationId != null) {
            count = 6;
        } else if (replyTo != null) {
            count = 5;
        } else if (subject != null) {
            count = 4;
        } else if (messageId != null) {
            count = 1;
        } else {
            return;
        }
        writer.section(Sections.PROPERTIES);
        int start = writer.beginCompound(Encoding.LIST_32);
        writeText(writer, messageId);
        if (count > 1) {
            writer.writeNull();
            writer.writeNull();
            writeText(writer, subject);
        }
        if (count > 4) {
            writeText(writer, replyTo);
        }
        if (count > 5) {
            writeText(writer, correlationId);
        }
        if (count > 6) {
            writeSymbol(writer, contentType);
        }
        if (count > 7) {
            writer.writeNull();
            writer.writeNull();
            writer.writeNull();
            writeText(writer, groupId);
        }
        writer.endCompound(start, count);
    }

    private static void writeText(EncodingWriter writer, String text) {
        if (text == null) {
            writer.writeNull();
        } else {
            writer.writeString(text);
        }
    }

    private static void writeSymbol(EncodingWriter writer, String text) {
        if (text == null) {
            writer.writeNull();
        } else {
            writer.writeSymbol(text);
        }
    }

    private static void applicationProperties(EncodingWriter writer, Map<String, Object> properties) {
        if (properties.isEmpty()) {
            return;
        }
        writer.section(Sections.APPLICATION_PROPERTIES);
        int start = writer.beginCompound(Encoding.MAP_32);
        for (Map.Entry<String, Object> property : properties.entrySet()) {
            writer.writeString(property.getKey());
            if (!writer.writeValue(property.getValue())) {
                throw Errors.content("property '" + property.getKey() + "' has no AMQP type", null);
            }
        }
        writer.endCompound(start, properties.size() * 2);
    }

    private void body(EncodingWriter writer, Message message) {
        switch (message.bodyKind()) {
            case BYTES -> {
                writer.section(Sections.DATA);
                writer.writeBinary((byte[]) message.body());
            }
            case TEXT -> {
                writer.section(Sections.VALUE);
                writer.writeString((String) message.body());
            }
            case JSON -> {
                writer.section(Sections.DATA);
                writer.writeBinary(json(message.body()));
            }
        }
    }

    private byte[] json(Object body) {
        try {
            return jsonMapper.writeValueAsBytes(body);
        } catch (JacksonException unwritable) {
            throw Errors.content("a " + body.getClass().getName() + " cannot be written as JSON", unwritable);
        }
    }
}
