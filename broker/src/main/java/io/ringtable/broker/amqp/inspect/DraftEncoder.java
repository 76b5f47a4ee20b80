package io.ringtable.broker.amqp.inspect;

import io.ringtable.broker.amqp.encoding.MessageFacts;
import io.ringtable.broker.inspect.MessageDraft;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.SectionDecoder;
import io.ringtable.wire.Sections;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.codec.EncoderState;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;

/**
 * Encodes what an operator writes: a new message, or the copy of another with parts replaced.
 * <p>
 * Thread: one at a time. Failure: refuses a draft that AMQP has no form for, or that the broker takes from no client
 * (RT-7220). Refuses a copy of a message that cannot be decoded (RT-7221).
 */
final class DraftEncoder {
    private static final Symbol JMS_TYPE = Symbol.valueOf("x-opt-jms-msg-type");
    private static final String DUPLICATE_ID = "_AMQ_DUPL_ID";

    private final SectionDecoder decoder;
    private final Encoder encoder = CodecFactory.getDefaultEncoder();
    private final MessageFacts facts;

    /** @param traces decides which sampled messages are recorded */
    DraftEncoder(SectionDecoder decoder, MessageTraces traces) {
        this.decoder = decoder;
        this.facts = new MessageFacts(traces);
    }

    /** Returns the message of bytes that were just encoded. */
    Message message(
            byte[] encoded, Address to, PublisherLogin login, long now, LongSupplier bodyIds, int inlineBytesMax) {
        try {
            facts.read(encoded, 0, encoded.length);
            facts.checkGroup();
            return new Message(
                    to,
                    now,
                    facts.priority(),
                    facts.expiresAt(now),
                    facts.deliveryTime(),
                    encoded,
                    encoded.length > inlineBytesMax ? bodyIds.getAsLong() : 0,
                    facts.group(),
                    null,
                    login,
                    facts.traceAt());
        } catch (MalformedMessage e) {
            throw refused(e.getMessage());
        }
    }

    byte[] encode(MessageDraft draft, String to, long now) {
        Header header = header(new Header().setDurable(true), draft.headers());
        Properties properties = new Properties();
        properties.setMessageId("ID:" + UUID.randomUUID());
        properties.setCreationTime(now);
        properties = properties(properties, draft.properties());
        properties.setTo(to);
        Map<String, Object> application = new LinkedHashMap<>();
        merge(application, draft.applicationProperties());
        Section<?> body = draft.body() == null ? new AmqpValue<>(null) : body(draft, properties, isBytes(draft));
        return write(header, null, properties, application, body);
    }

    private static boolean isBytes(MessageDraft draft) {
        return !"text".equals(draft.bodyType());
    }

    byte[] copy(byte[] encoded, MessageDraft changes, String to) {
        Header header = new Header();
        Map<Symbol, Object> annotations = new LinkedHashMap<>();
        Properties properties = new Properties();
        Map<String, Object> application = new LinkedHashMap<>();
        Sections sections = new Sections().over(encoded, 0, encoded.length);
        int bodyAt = encoded.length;
        boolean wasData = false;
        try {
            while (bodyAt == encoded.length && sections.advance()) {
                switch (sections.code()) {
                    case Sections.HEADER -> header = (Header) decoder.decode(sections);
                    case Sections.MESSAGE_ANNOTATIONS -> annotations.putAll(annotations(sections));
                    case Sections.PROPERTIES -> properties = (Properties) decoder.decode(sections);
                    case Sections.APPLICATION_PROPERTIES -> application.putAll(application(sections));
                    case Sections.DELIVERY_ANNOTATIONS -> {
                        // They are of an earlier hop.
                    }
                    default -> {
                        bodyAt = sections.start();
                        wasData = sections.code() == Sections.DATA;
                    }
                }
            }
        } catch (MalformedMessage | RuntimeException e) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.INVALID,
                    "RT-7221",
                    "the message cannot be decoded, so it cannot be copied with changes: move it as it is, or send a"
                            + " new one (" + e.getMessage() + ")"));
        }
        header.clearTimeToLive();
        header.clearDeliveryCount();
        properties.clearAbsoluteExpiryTime();
        application.remove(DUPLICATE_ID);
        annotations.remove(Symbol.valueOf(DUPLICATE_ID));
        header = header(header, changes.headers());
        properties = properties(properties, changes.properties());
        properties.setTo(to);
        merge(application, changes.applicationProperties());
        if (changes.body() == null) {
            byte[] head = write(header, annotations, properties, application, null);
            byte[] copy = Arrays.copyOf(head, head.length + encoded.length - bodyAt);
            System.arraycopy(encoded, bodyAt, copy, head.length, encoded.length - bodyAt);
            return copy;
        }
        boolean bytes = wasData || "base64".equals(changes.bodyType());
        if (bytes != wasData) {
            annotations.remove(JMS_TYPE); // the body is of another kind
        }
        return write(header, annotations, properties, application, body(changes, properties, bytes));
    }

    private Map<Symbol, Object> annotations(Sections sections) throws MalformedMessage {
        Map<Symbol, Object> values = ((MessageAnnotations) decoder.decode(sections)).getValue();
        return values == null ? Map.of() : values;
    }

    private Map<String, Object> application(Sections sections) throws MalformedMessage {
        Map<String, Object> values = ((ApplicationProperties) decoder.decode(sections)).getValue();
        return values == null ? Map.of() : values;
    }

    // ---- what the draft says

    private static Header header(Header header, Map<String, Object> given) {
        given.forEach((name, value) -> {
            switch (name) {
                case "durable" -> header.setDurable(Boolean.TRUE.equals(value));
                case "priority" -> {
                    if (value == null) {
                        header.clearPriority();
                    } else {
                        header.setPriority((byte) number(name, value, 9));
                    }
                }
                case "ttlMs" -> {
                    if (value == null) {
                        header.clearTimeToLive();
                    } else {
                        header.setTimeToLive(number(name, value, 0xffff_ffffL));
                    }
                }
                default -> throw refused("there is no header '" + name + "': durable, priority and ttlMs can be given");
            }
        });
        return header;
    }

    private static Properties properties(Properties properties, Map<String, Object> given) {
        given.forEach((name, value) -> {
            switch (name) {
                case "messageId" -> properties.setMessageId(text(name, value));
                case "subject" -> properties.setSubject(text(name, value));
                case "replyTo" -> properties.setReplyTo(text(name, value));
                case "correlationId" -> properties.setCorrelationId(text(name, value));
                case "contentType" -> properties.setContentType(ascii(name, value));
                case "contentEncoding" -> properties.setContentEncoding(ascii(name, value));
                case "groupId" -> properties.setGroupId(text(name, value));
                case "groupSequence" -> {
                    if (value == null) {
                        properties.clearGroupSequence();
                    } else {
                        properties.setGroupSequence(number(name, value, 0xffff_ffffL));
                    }
                }
                case "replyToGroupId" -> properties.setReplyToGroupId(text(name, value));
                default ->
                    throw refused("property '" + name + "' cannot be given: messageId, subject, replyTo,"
                            + " correlationId, contentType, contentEncoding, groupId, groupSequence and replyToGroupId"
                            + " can, and any name as an application property");
            }
        });
        return properties;
    }

    private static void merge(Map<String, Object> application, Map<String, Object> given) {
        given.forEach((name, value) -> {
            if (value == null) {
                application.remove(name);
            } else if (value instanceof String
                    || value instanceof Boolean
                    || value instanceof Integer
                    || value instanceof Long
                    || value instanceof Double) {
                application.put(name, value);
            } else {
                throw refused("application property '" + name
                        + "' is no text, boolean, whole number within 64 bits or decimal number: give one of these");
            }
        });
    }

    private static long number(String name, Object value, long most) {
        if (value instanceof Number number
                && !(value instanceof Double)
                && number.longValue() >= 0
                && number.longValue() <= most) {
            return number.longValue();
        }
        throw refused("'" + name + "' is " + value + ", not a whole number from 0 to " + most);
    }

    private static String text(String name, Object value) {
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw refused("property '" + name + "' is " + value + ", not a text");
    }

    private static String ascii(String name, Object value) {
        String text = text(name, value);
        if (text != null && !text.chars().allMatch(c -> c < 0x80)) {
            throw refused("property '" + name + "' is '" + text + "', not ASCII");
        }
        return text;
    }

    /** Returns the body. @param bytes whether a text becomes a data section, else a value */
    private static Section<?> body(MessageDraft draft, Properties properties, boolean bytes) {
        switch (draft.bodyType()) {
            case "text" -> {
                if (!draft.body().isString()) {
                    throw refused("the body is no text: give a JSON string, or bodyType json");
                }
                return text(draft.body().stringValue(), bytes);
            }
            case "json" -> {
                if (properties.getContentType() == null) {
                    properties.setContentType("application/json");
                }
                return text(draft.body().toString(), bytes);
            }
            case "base64" -> {
                try {
                    return new Data(Base64.getDecoder().decode(draft.body().asString()));
                } catch (IllegalArgumentException e) {
                    throw refused("the body is not in Base64: " + e.getMessage());
                }
            }
            default -> throw refused("bodyType '" + draft.bodyType() + "' does not exist: text, json and base64 do");
        }
    }

    private static Section<?> text(String text, boolean bytes) {
        return bytes ? new Data(text.getBytes(StandardCharsets.UTF_8)) : new AmqpValue<>(text);
    }

    private static Refusal.Refused refused(String text) {
        return new Refusal.Refused(new Refusal(Refusal.Reason.INVALID, "RT-7220", text));
    }

    // ---- bytes

    /** @param annotations null = none; @param body null = the caller appends it */
    private byte[] write(
            Header header,
            Map<Symbol, Object> annotations,
            Properties properties,
            Map<String, Object> application,
            Section<?> body) {
        ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().allocate();
        EncoderState state = encoder.newEncoderState();
        try {
            encoder.writeObject(buffer, state, header);
            if (annotations != null && !annotations.isEmpty()) {
                encoder.writeObject(buffer, state, new MessageAnnotations(annotations));
            }
            encoder.writeObject(buffer, state, properties);
            if (!application.isEmpty()) {
                encoder.writeObject(buffer, state, new ApplicationProperties(application));
            }
            if (body != null) {
                encoder.writeObject(buffer, state, body);
            }
        } catch (IllegalArgumentException e) { // such as half of a surrogate pair
            throw refused("the message cannot be encoded: " + e.getMessage());
        }
        byte[] bytes = new byte[buffer.getReadableBytes()];
        buffer.readBytes(bytes, 0, bytes.length);
        return bytes;
    }
}
