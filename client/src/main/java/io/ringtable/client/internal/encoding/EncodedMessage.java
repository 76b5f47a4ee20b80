package io.ringtable.client.internal.encoding;

import io.ringtable.client.ReceivedMessage.DeadLetter;
import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.error.Errors;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.SectionDecoder;
import io.ringtable.wire.Sections;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;

/**
 * Reads a message as it came (AMQP 1.0 section 3.2). One pass finds where its sections begin. A section is decoded on
 * demand, once its values are found within the bounds.
 * <p>
 * Immutable; any thread, each with a reader of its own. Failure: reading a damaged message fails (RT-5030), and so does
 * reading values that nest too deeply or lie about their number.
 */
public final class EncodedMessage {

    private static final int ABSENT = -1;

    private static final ThreadLocal<Reader> READERS = ThreadLocal.withInitial(Reader::new);

    private final byte[] encoded;
    private int headerAt = ABSENT;
    private int annotationsAt = ABSENT;
    private int propertiesAt = ABSENT;
    private int applicationPropertiesAt = ABSENT;
    private int bodyAt = ABSENT;
    private int bodyCode = ABSENT;
    private int bodySections;

    /** Reads the messages of one thread, one after the other. */
    private static final class Reader {
        private static final byte[] NOTHING = {};

        private final Sections sections = new Sections();
        private SectionDecoder decoder; // null until the thread decodes a section; a body of bytes needs none

        Sections from(byte[] encoded, int at) {
            return sections.over(encoded, at, encoded.length);
        }

        /** Decodes the next section, which must be of that code. */
        Section<?> decodeNext(int code) {
            if (decoder == null) {
                decoder = new SectionDecoder();
            }
            try {
                sections.advance();
                if (sections.code() != code) {
                    throw severalKinds();
                }
                return decoder.decode(sections);
            } catch (MalformedMessage beyond) {
                throw Errors.body(beyond.getMessage(), beyond);
            } catch (RingtableException refused) {
                throw refused;
            } catch (RuntimeException damaged) {
                throw Errors.body("the message is damaged at byte " + sections.start(), damaged);
            }
        }

        /** Lets the message go. */
        void done() {
            sections.over(NOTHING, 0, 0);
        }
    }

    /** @throws io.ringtable.client.RingtableException RT-5030 if it is no AMQP message */
    public EncodedMessage(byte[] encoded) {
        this.encoded = encoded;
        Reader reader = READERS.get();
        try {
            Sections sections = reader.from(encoded, 0);
            while (sections.advance()) {
                index(sections.code(), sections.start());
            }
        } catch (MalformedMessage malformed) {
            throw Errors.body(malformed.getMessage(), malformed);
        } finally {
            reader.done();
        }
    }

    private void index(int code, int at) {
        switch (code) {
            case Sections.HEADER -> headerAt = at;
            case Sections.MESSAGE_ANNOTATIONS -> annotationsAt = at;
            case Sections.PROPERTIES -> propertiesAt = at;
            case Sections.APPLICATION_PROPERTIES -> applicationPropertiesAt = at;
            case Sections.DATA, Sections.SEQUENCE, Sections.VALUE -> {
                bodySections++;
                if (bodyAt == ABSENT) {
                    bodyAt = at;
                    bodyCode = code;
                }
            }
            default -> {
                // Applications see neither delivery annotations nor footers.
            }
        }
    }

    public Header header() {
        return headerAt == ABSENT ? null : (Header) decode(Sections.HEADER, headerAt);
    }

    public Properties properties() {
        return propertiesAt == ABSENT ? null : (Properties) decode(Sections.PROPERTIES, propertiesAt);
    }

    /** Returns what the broker says of a dead letter in the message's annotations; null if it is none. */
    public DeadLetter deadLetter() {
        if (annotationsAt == ABSENT) {
            return null;
        }
        Map<Symbol, Object> annotations =
                ((MessageAnnotations) decode(Sections.MESSAGE_ANNOTATIONS, annotationsAt)).getValue();
        return DeadLetters.read(annotations);
    }

    public Map<String, Object> applicationProperties() {
        if (applicationPropertiesAt == ABSENT) {
            return Map.of();
        }
        Map<String, Object> read =
                ((ApplicationProperties) decode(Sections.APPLICATION_PROPERTIES, applicationPropertiesAt)).getValue();
        Map<String, Object> properties = new LinkedHashMap<>();
        read.forEach((name, value) -> properties.put(name, JavaValues.of(value)));
        return Collections.unmodifiableMap(properties);
    }

    public byte[] bytes() {
        if (bodyAt == ABSENT) {
            return new byte[0];
        }
        if (bodyCode == Sections.DATA) {
            return data();
        }
        Object value = value();
        if (value instanceof byte[] bytes) {
            return bytes;
        }
        if (value instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        throw Errors.body("it is " + kind(value) + ", not bytes: use value()", null);
    }

    public String text() {
        if (bodyAt == ABSENT) {
            return "";
        }
        if (bodyCode == Sections.DATA) {
            return new String(data(), StandardCharsets.UTF_8);
        }
        Object value = value();
        if (value instanceof String text) {
            return text;
        }
        throw Errors.body("it is " + kind(value) + ", not text: use value()", null);
    }

    public Object value() {
        if (bodyAt == ABSENT) {
            return null;
        }
        if (bodyCode == Sections.DATA) {
            return data();
        }
        if (bodyCode == Sections.SEQUENCE) {
            return sequences();
        }
        return JavaValues.of(((AmqpValue<?>) decode(Sections.VALUE, bodyAt)).getValue());
    }

    private byte[] data() {
        try {
            if (bodySections == 1) {
                return dataAt(bodyAt);
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            int at = bodyAt;
            for (int i = 0; i < bodySections; i++) {
                all.writeBytes(dataAt(at));
                at = Encoding.skip(encoded, at, encoded.length);
            }
            return all.toByteArray();
        } catch (MalformedMessage malformed) {
            throw Errors.body(malformed.getMessage(), malformed);
        }
    }

    private byte[] dataAt(int section) throws MalformedMessage {
        int value = Encoding.skip(encoded, section + 1, encoded.length);
        int code = encoded[value] & 0xff;
        if (code != Encoding.BINARY_8 && code != Encoding.BINARY_32) {
            throw severalKinds();
        }
        return Encoding.variable(encoded, value);
    }

    private static RingtableException severalKinds() {
        return Errors.body("it has sections of several kinds", null);
    }

    private List<Object> sequences() {
        List<Object> all = new ArrayList<>();
        Reader reader = READERS.get();
        try {
            reader.from(encoded, bodyAt);
            for (int i = 0; i < bodySections; i++) {
                AmqpSequence<?> section = (AmqpSequence<?>) reader.decodeNext(Sections.SEQUENCE);
                section.getValue().forEach(value -> all.add(JavaValues.of(value)));
            }
        } finally {
            reader.done();
        }
        return all;
    }

    private Section<?> decode(int code, int at) {
        Reader reader = READERS.get();
        try {
            reader.from(encoded, at);
            return reader.decodeNext(code);
        } finally {
            reader.done();
        }
    }

    private static String kind(Object value) {
        return value == null ? "null" : "a " + value.getClass().getSimpleName();
    }
}
