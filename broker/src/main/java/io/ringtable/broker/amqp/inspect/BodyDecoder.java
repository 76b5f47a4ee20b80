package io.ringtable.broker.amqp.inspect;

import io.ringtable.broker.inspect.DecodedBody;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.SectionDecoder;
import io.ringtable.wire.Sections;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.Section;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Decodes the body of a message for people. Texts and bytes are cut; other values are decoded whole, or shown in
 * hexadecimal digits if they are large. Objects of Java are never deserialised.
 * <p>
 * Thread: one at a time. Failure: a body that cannot be decoded is shown in hexadecimal digits, with the reason.
 */
final class BodyDecoder {
    /** The largest value, other than a text or bytes, that is decoded. */
    private static final int DECODED_MAX = 256 * 1024;

    // annotation x-opt-jms-msg-type (AMQP JMS Mapping 1.0 section 3.2.1)
    private static final int JMS_OBJECT = 1;
    private static final int JMS_STREAM = 4;

    private static final String JAVA_OBJECT = "application/x-java-serialized-object";

    private final SectionDecoder decoder;
    private final JsonMapper json = JsonMapper.shared();

    BodyDecoder(SectionDecoder decoder) {
        this.decoder = decoder;
    }

    /**
     * Decodes a body.
     *
     * @param sections at the first section of the body; the decoder steps over the others
     * @param contentType null = none
     * @param jmsType annotation {@code x-opt-jms-msg-type}; negative = none
     * @param max most bytes that are shown
     */
    DecodedBody decode(Sections sections, String contentType, int jmsType, int max) {
        byte[] message = sections.bytes();
        int from = sections.start();
        try {
            return switch (sections.code()) {
                case Sections.DATA -> data(sections, contentType, jmsType, max);
                case Sections.VALUE -> value(sections, contentType, jmsType, max);
                default -> sequence(sections, jmsType, max);
            };
        } catch (MalformedMessage | RuntimeException e) {
            return unreadable(message, from, message.length, max, e);
        }
    }

    static DecodedBody empty() {
        return new DecodedBody("empty", null, null, null, 0, false, null);
    }

    /** Stands for a message of which the store has lost bytes. */
    static DecodedBody damaged() {
        return new DecodedBody(
                "unreadable", null, null, null, 0, true, "the message is damaged: bytes of it are missing");
    }

    static DecodedBody unreadable(byte[] message, int from, int to, int max, Exception e) {
        String reason = e instanceof MalformedMessage ? e.getMessage() : e.toString();
        return hex("unreadable", message, from, to, max, PlainValues.text("it cannot be decoded: " + reason));
    }

    // ---- data

    private DecodedBody data(Sections sections, String contentType, int jmsType, int max) throws MalformedMessage {
        byte[] message = sections.bytes();
        int begin = sections.start();
        byte[] shown = new byte[0];
        long bytes = 0;
        int count = 0;
        boolean all = true;
        do {
            if (sections.code() == Sections.DATA) {
                int length = sections.next() - sections.first();
                int kept = Math.min(length, max - shown.length);
                int at = shown.length;
                shown = Arrays.copyOf(shown, at + kept);
                System.arraycopy(message, sections.first(), shown, at, kept);
                bytes += length;
                count++;
            } else {
                all = false;
            }
        } while (sections.advance());
        if (count > 1 && all && isBatch(message, begin)) {
            return hexOf("batch", shown, bytes, "a batch of " + count + " encoded messages, one in each data section");
        }
        if (jmsType == JMS_OBJECT || JAVA_OBJECT.equals(contentType)) {
            return hexOf("object", shown, bytes, "a serialised Java object, which the broker does not read");
        }
        String note = count > 1 ? count + " data sections" : null;
        return ofBytes(shown, bytes, contentType, note);
    }

    /** Returns whether each data section holds a message, as transfers of the SDK's message format do. */
    private static boolean isBatch(byte[] message, int from) {
        try {
            for (byte[] part : BatchFormat.split(Arrays.copyOfRange(message, from, message.length))) {
                Sections inner = new Sections().over(part, 0, part.length);
                if (part.length == 0) {
                    return false;
                }
                while (inner.advance()) {
                    // A section: the next one.
                }
            }
            return true;
        } catch (MalformedMessage e) {
            return false;
        }
    }

    private DecodedBody ofBytes(byte[] shown, long bytes, String contentType, String note) {
        String text = text(shown, bytes > shown.length);
        return text == null
                ? hexOf("bytes", shown, bytes, note)
                : ofText(isText(contentType) ? "text" : "bytes", text, bytes, bytes > shown.length, contentType, note);
    }

    private DecodedBody ofText(
            String type, String text, long bytes, boolean truncated, String contentType, String note) {
        JsonNode node = truncated ? null : json(text, contentType);
        return new DecodedBody(type, node == null ? text : null, node, null, bytes, truncated, cut(note, truncated));
    }

    private static boolean isText(String contentType) {
        if (contentType == null) {
            return false;
        }
        String lower = contentType.toLowerCase(Locale.ROOT);
        return lower.startsWith("text/") || lower.contains("json") || lower.contains("xml");
    }

    /** Returns the text if the bytes are one, without its last character if that is cut; else null. */
    private static String text(byte[] bytes, boolean isCut) {
        for (int fewer = 0; fewer <= (isCut ? Math.min(3, bytes.length) : 0); fewer++) {
            try {
                String text = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes, 0, bytes.length - fewer))
                        .toString();
                return text.chars().allMatch(BodyDecoder::isPrintable) ? text : null;
            } catch (CharacterCodingException e) {
                // The last character may be cut.
            }
        }
        return null;
    }

    private static boolean isPrintable(int character) {
        return !Character.isISOControl(character) || character == '\n' || character == '\r' || character == '\t';
    }

    /** Returns what a text says as JSON; null if it does not look like JSON, or is none. */
    private JsonNode json(String text, String contentType) {
        String trimmed = text.strip();
        boolean looksSo = trimmed.startsWith("{") || trimmed.startsWith("[");
        boolean saysSo =
                contentType != null && contentType.toLowerCase(Locale.ROOT).contains("json");
        if (trimmed.isEmpty() || !looksSo && !saysSo) {
            return null;
        }
        try {
            return json.readTree(trimmed);
        } catch (JacksonException e) {
            return null;
        }
    }

    // ---- value

    private DecodedBody value(Sections sections, String contentType, int jmsType, int max) throws MalformedMessage {
        byte[] message = sections.bytes();
        int at = sections.value();
        int code = message[at] & 0xff;
        if (code == Encoding.STRING_8 || code == Encoding.STRING_32) {
            return string(message, Encoding.textStart(message, at), Encoding.textLength(message, at), contentType, max);
        }
        if (code == Encoding.BINARY_8 || code == Encoding.BINARY_32) {
            int start = sections.first();
            int length = sections.next() - start;
            byte[] shown = Arrays.copyOfRange(message, start, start + Math.min(length, max));
            return jmsType == JMS_OBJECT
                    ? hexOf("object", shown, length, "a serialised Java object, which the broker does not read")
                    : ofBytes(shown, length, contentType, null);
        }
        if (code == Encoding.NULL) {
            return empty();
        }
        if (sections.next() - sections.start() > DECODED_MAX) {
            return tooLarge(sections, max);
        }
        Object decoded = decode(sections).getValue();
        String type = decoded instanceof Map<?, ?> ? "map" : decoded instanceof List<?> ? "list" : "value";
        return ofValue(jmsType == JMS_OBJECT ? "object" : type, decoded, sections.next() - at);
    }

    private DecodedBody string(byte[] message, int start, int length, String contentType, int max) {
        boolean isCut = length > max;
        byte[] shown = Arrays.copyOfRange(message, start, start + Math.min(length, max));
        String text = text(shown, isCut);
        // A text may have any character: those that are not printable must not get lost.
        String safe = text != null ? text : new String(shown, StandardCharsets.UTF_8);
        return ofText("text", safe, length, isCut, contentType, null);
    }

    private DecodedBody sequence(Sections sections, int jmsType, int max) throws MalformedMessage {
        if (sections.code() != Sections.SEQUENCE) {
            return empty(); // a footer without a body
        }
        if (sections.next() - sections.start() > DECODED_MAX) {
            return tooLarge(sections, max);
        }
        int bytes = sections.next() - sections.value();
        return ofValue(
                jmsType == JMS_STREAM ? "stream" : "list", decode(sections).getValue(), bytes);
    }

    private Section<?> decode(Sections sections) throws MalformedMessage {
        return decoder.decode(sections);
    }

    private DecodedBody ofValue(String type, Object decoded, long bytes) {
        JsonNode node = json.valueToTree(new PlainValues().of(decoded));
        return new DecodedBody(type, null, node, null, bytes, false, null);
    }

    private static DecodedBody tooLarge(Sections sections, int max) {
        return hex(
                "value",
                sections.bytes(),
                sections.value(),
                sections.next(),
                max,
                "a list or map of more than " + DECODED_MAX + " bytes, which is not decoded");
    }

    // ---- hexadecimal digits

    private static DecodedBody hex(String type, byte[] message, int from, int to, int max, String note) {
        byte[] shown = Arrays.copyOfRange(message, from, from + Math.min(to - from, max));
        return hexOf(type, shown, to - from, note);
    }

    private static DecodedBody hexOf(String type, byte[] shown, long bytes, String note) {
        boolean truncated = bytes > shown.length;
        return new DecodedBody(
                type, null, null, HexFormat.of().formatHex(shown), bytes, truncated, cut(note, truncated));
    }

    private static String cut(String note, boolean truncated) {
        if (!truncated) {
            return note;
        }
        return note == null ? "there is more than is shown" : note + "; there is more than is shown";
    }
}
