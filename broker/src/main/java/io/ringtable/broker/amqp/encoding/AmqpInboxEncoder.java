package io.ringtable.broker.amqp.encoding;

import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.message.Utf16;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.MalformedMessage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
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
 * Writes a message of the inbox as an AMQP message. A text becomes an {@code amqp-value} string, bytes become a data
 * section. The reserved keys of the row's properties become header and properties, all others application properties.
 * <p>
 * A whole number becomes an int if it fits, else a long; any other number becomes a double. A time to live counts from
 * the moment of publishing, and the message says the time at which it ends. A message without a message id gets the id
 * of its row, the same at every delivery.
 * <p>
 * Thread: one at a time. Failure: the encoder refuses a row that AMQP has no form for (RT-4063), and never changes one.
 * Such a row has an unpaired surrogate, a number out of range, nested values, or JSON past the limits of the parser.
 * These are 500 levels, 1,000 digits, and 50,000 characters of a key. The inbox bounds the properties of a message at
 * 65,536 characters.
 */
public final class AmqpInboxEncoder implements InboxEncoder {
    static final String MESSAGE_ID_PREFIX = "ID:ringtable-inbox-";

    private static final char REPLACEMENT = '\uFFFD';
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\u2028\u2029]");
    private static final int SHOWN_MAX = 100; // characters of a row that a refusal shows

    private final Encoder encoder = CodecFactory.getDefaultEncoder();
    private final AmqpDeadLetterEncoder deadLetters = new AmqpDeadLetterEncoder();
    private final MessageFacts facts;

    /** @param traces decides which sampled messages are recorded */
    public AmqpInboxEncoder(MessageTraces traces) {
        this.facts = new MessageFacts(traces);
    }

    @Override
    public Encoded encode(InboxMessage message, long now) {
        if (!Utf16.isWellFormed(message.address())) {
            throw refused("address '" + shown(message.address()) + "' has an unpaired surrogate");
        }
        Header header = header();
        Properties properties = properties(message, now);
        Map<String, Object> application = new LinkedHashMap<>();
        long expiresAt = 0;
        int priority = Message.PRIORITY_NORMAL;
        for (Map.Entry<String, JsonNode> each : read(message)) {
            switch (each.getKey()) {
                case "durable" -> checkDurable(each);
                case "priority" -> {
                    priority = (int) number(each, 9);
                    header.setPriority((byte) priority);
                }
                case "ttl" -> {
                    // With 0 the message would never expire.
                    expiresAt = Math.max(1, now - message.ageMs() + number(each, 0xffff_ffffL));
                    properties.setAbsoluteExpiryTime(expiresAt);
                }
                case "message-id" -> properties.setMessageId(text(each));
                case "correlation-id" -> properties.setCorrelationId(text(each));
                case "content-type" -> properties.setContentType(ascii(each));
                case "subject" -> properties.setSubject(text(each));
                case "reply-to" -> properties.setReplyTo(text(each));
                case "group-id" -> properties.setGroupId(text(each));
                default -> application.put(key(each), simple(each));
            }
        }
        Section<?> body = body(message);
        byte[] bytes = application.isEmpty()
                ? write(header, properties, body)
                : write(header, properties, new ApplicationProperties(application), body);
        requireBounds(bytes);
        return new Encoded(bytes, priority, expiresAt, facts.group(), facts.traceAt());
    }

    @Override
    public String group(InboxMessage message) {
        try {
            JsonNode group = JsonMapper.shared().readTree(message.properties()).path("group-id");
            return group.isString() ? group.stringValue() : null;
        } catch (JacksonException unreadable) {
            return null; // the message becomes a dead letter
        }
    }

    /** Refuses a message that no client may publish. */
    private void requireBounds(byte[] encoded) {
        try {
            facts.read(encoded, 0, encoded.length);
        } catch (MalformedMessage e) {
            throw refused(e.getMessage());
        }
    }

    @Override
    public byte[] deadLetter(InboxMessage message, String reason, long now) {
        byte[] encoded;
        try {
            encoded = encode(message, now).bytes();
        } catch (Refusal.Refused unreadable) { // only its body can be kept
            encoded = write(
                    header(), properties(message, now), message.text() ? repaired(message.body()) : body(message));
        }
        return deadLetters.deadLetter(encoded, message.address(), "", "", reason, 0, now);
    }

    private static Header header() {
        Header header = new Header();
        header.setDurable(true);
        return header;
    }

    private static Properties properties(InboxMessage message, long now) {
        Properties properties = new Properties();
        properties.setMessageId(MESSAGE_ID_PREFIX + message.id());
        properties.setTo(Utf16.repaired(message.address())); // repairs dead letters only: any other is well formed
        properties.setCreationTime(now - message.ageMs());
        return properties;
    }

    private static Section<?> body(InboxMessage message) {
        if (!message.text()) {
            return new Data(message.body());
        }
        AmqpValue<String> text = repaired(message.body());
        // A text without replacements needs no comparison.
        if (text.getValue().indexOf(REPLACEMENT) >= 0
                && !Arrays.equals(text.getValue().getBytes(StandardCharsets.UTF_8), message.body())) {
            throw refused("the text of its body is not UTF-8, or has an unpaired surrogate");
        }
        return text;
    }

    private static AmqpValue<String> repaired(byte[] text) {
        return new AmqpValue<>(new String(text, StandardCharsets.UTF_8));
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
        throw refused("the properties are not a JSON object");
    }

    private static void checkDurable(Map.Entry<String, JsonNode> property) {
        if (!property.getValue().isBoolean() || !property.getValue().booleanValue()) {
            throw refused(property, "not true: every message of the inbox is durable");
        }
    }

    private static long number(Map.Entry<String, JsonNode> property, long most) {
        JsonNode value = property.getValue();
        if (!value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < 0
                || value.longValue() > most) {
            throw refused(property, "not a whole number from 0 to " + most);
        }
        return value.longValue();
    }

    private static String key(Map.Entry<String, JsonNode> property) {
        if (!Utf16.isWellFormed(property.getKey())) {
            throw refused(property, "and its key has an unpaired surrogate");
        }
        return property.getKey();
    }

    private static String text(Map.Entry<String, JsonNode> property) {
        if (!property.getValue().isString()) {
            throw refused(property, "not a string");
        }
        String text = property.getValue().stringValue();
        if (!Utf16.isWellFormed(text)) {
            throw refused(property, "a string with an unpaired surrogate");
        }
        return text;
    }

    /** Returns the text of a property that AMQP has as a symbol, which is ASCII. */
    private static String ascii(Map.Entry<String, JsonNode> property) {
        String text = text(property);
        if (!text.chars().allMatch(c -> c < 0x80)) {
            throw refused(property, "not ASCII");
        }
        return text;
    }

    private static Object simple(Map.Entry<String, JsonNode> property) {
        JsonNode value = property.getValue();
        if (value.isString()) {
            return text(property);
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
        if (value.isIntegralNumber()) {
            throw refused(property, "not a whole number within 64 bits");
        }
        if (value.isNumber()) {
            return finite(property);
        }
        throw refused(property, "neither string, number, true, false nor null");
    }

    private static double finite(Map.Entry<String, JsonNode> property) {
        double value = property.getValue().doubleValue(Double.NaN);
        if (!Double.isFinite(value)) {
            throw refused(property, "not a number that a double can hold");
        }
        return value;
    }

    private static Refusal.Refused refused(Map.Entry<String, JsonNode> property, String what) {
        JsonNode value = property.getValue();
        String text = value.isContainer()
                ? (value.isArray() ? "an array" : "an object")
                : "'" + shown(value.asString()) + "'";
        return refused("property '" + shown(property.getKey()) + "' is " + text + ", " + what);
    }

    /** Returns a short and well-formed text of one line, for the log and for an annotation. */
    private static String shown(String text) {
        String cut = text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "...";
        return CONTROL.matcher(Utf16.repaired(cut)).replaceAll("?");
    }

    private static Refusal.Refused refused(String text) {
        String shown = text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "…";
        return new Refusal.Refused(new Refusal(Refusal.Reason.INVALID, "RT-4063", shown));
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
