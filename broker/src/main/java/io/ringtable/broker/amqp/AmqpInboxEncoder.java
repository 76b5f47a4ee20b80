package io.ringtable.broker.amqp;

import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.codec.EncoderState;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes a message of the inbox as an AMQP message: a text becomes an {@code amqp-value} string, bytes a data section, the
 * reserved keys of the properties header and properties, all others application properties.
 * <p>
 * A whole number becomes an int if it fits, else a long, any other number a double. A time to live counts from when the
 * message was published, and is written as the time it ends at. Without a message id of its own a message gets the id of its
 * row, the same at every delivery.
 * <p>
 * Thread: one at a time.
 */
public final class AmqpInboxEncoder implements InboxEncoder {
    static final String MESSAGE_ID_PREFIX = "ID:ringtable-inbox-";

    private final Encoder encoder = CodecFactory.getDefaultEncoder();
    private final AmqpDeadLetterEncoder deadLetters = new AmqpDeadLetterEncoder();

    @Override
    public Encoded encode(InboxMessage message, long now) {
        Header header = header();
        Properties properties = properties(message, now);
        Map<String, Object> application = new LinkedHashMap<>();
        long expiresAt = 0;
        int priority = Message.PRIORITY_NORMAL;
        for (Map.Entry<String, JsonNode> each : read(message)) {
            JsonNode value = each.getValue();
            switch (each.getKey()) {
                case "durable" -> {
                    // Every message here is.
                }
                case "priority" -> {
                    priority = (int) number(each, 9);
                    header.setPriority((byte) priority);
                }
                case "ttl" -> {
                    expiresAt = now - message.ageMs() + number(each, 0xffff_ffffL);
                    properties.setAbsoluteExpiryTime(expiresAt);
                }
                case "message-id" -> properties.setMessageId(value.asString());
                case "correlation-id" -> properties.setCorrelationId(value.asString());
                case "content-type" -> properties.setContentType(value.asString());
                case "subject" -> properties.setSubject(value.asString());
                case "reply-to" -> properties.setReplyTo(value.asString());
                case "group-id" -> properties.setGroupId(value.asString());
                default -> application.put(each.getKey(), simple(each));
            }
        }
        Section<?> body = body(message);
        byte[] bytes = application.isEmpty()
                ? write(header, properties, body)
                : write(header, properties, new ApplicationProperties(application), body);
        return new Encoded(bytes, priority, expiresAt);
    }

    @Override
    public byte[] deadLetter(InboxMessage message, String reason, long now) {
        byte[] encoded;
        try {
            encoded = encode(message, now).bytes();
        } catch (Refusal.Refused unreadable) { // its body is what is left
            encoded = write(header(), properties(message, now), body(message));
        }
        return deadLetters.deadLetter(encoded, message.address(), "", reason, 0, now);
    }

    private static Header header() {
        Header header = new Header();
        header.setDurable(true);
        return header;
    }

    private static Properties properties(InboxMessage message, long now) {
        Properties properties = new Properties();
        properties.setMessageId(MESSAGE_ID_PREFIX + message.id());
        properties.setTo(message.address());
        properties.setCreationTime(now - message.ageMs());
        return properties;
    }

    private static Section<?> body(InboxMessage message) {
        return message.text()
                ? new AmqpValue<>(new String(message.body(), StandardCharsets.UTF_8))
                : new Data(message.body());
    }

    private static Iterable<Map.Entry<String, JsonNode>> read(InboxMessage message) {
        try {
            JsonNode read = JsonMapper.shared().readTree(message.properties());
            if (read.isObject()) {
                return read.properties();
            }
        } catch (JacksonException e) {
            // refused below
        }
        throw refused("the properties are no JSON object");
    }

    private static long number(Map.Entry<String, JsonNode> property, long most) {
        JsonNode value = property.getValue();
        if (!value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < 0
                || value.longValue() > most) {
            throw refused("property '" + property.getKey() + "' is " + value + ", no whole number from 0 to " + most);
        }
        return value.longValue();
    }

    private static Object simple(Map.Entry<String, JsonNode> property) {
        JsonNode value = property.getValue();
        if (value.isString()) {
            return value.asString();
        }
        if (value.isBoolean()) {
            return value.booleanValue();
        }
        if (value.isNull()) {
            return null;
        }
        if (value.isIntegralNumber() && value.canConvertToInt()) {
            return value.intValue();
        }
        if (value.isIntegralNumber() && value.canConvertToLong()) {
            return value.longValue();
        }
        if (value.isNumber()) {
            return value.doubleValue();
        }
        throw refused("property '" + property.getKey() + "' is neither string, number, true, false nor null");
    }

    private static Refusal.Refused refused(String text) {
        return new Refusal.Refused(new Refusal(Refusal.Reason.INVALID, "RT-4063", text));
    }

    private byte[] write(Section<?>... sections) {
        ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().allocate();
        EncoderState state = encoder.newEncoderState();
        for (Section<?> section : sections) {
            encoder.writeObject(buffer, state, section);
        }
        byte[] bytes = new byte[buffer.getReadableBytes()];
        buffer.readBytes(bytes, 0, bytes.length);
        return bytes;
    }
}
