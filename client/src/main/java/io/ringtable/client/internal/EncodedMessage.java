package io.ringtable.client.internal;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.codec.DecoderState;
import org.apache.qpid.protonj2.codec.decoders.ProtonDecoderFactory;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;

/**
 * A message as it came (AMQP 1.0 section 3.2): one pass finds where its sections begin; each is decoded when asked for.
 * <p>
 * Immutable; any thread, each decodes with a decoder of its own. A message that is damaged fails when it is read.
 */
final class EncodedMessage {

    private static final int HEADER = 0x70;
    private static final int PROPERTIES = 0x73;
    private static final int APPLICATION_PROPERTIES = 0x74;
    private static final int DATA = 0x75;
    private static final int SEQUENCE = 0x76;
    private static final int VALUE = 0x77;
    private static final int ABSENT = -1;

    private static final ThreadLocal<Decoder> DECODERS = ThreadLocal.withInitial(ProtonDecoderFactory::create);

    private final byte[] encoded;
    private int headerAt = ABSENT;
    private int propertiesAt = ABSENT;
    private int applicationPropertiesAt = ABSENT;
    private int bodyAt = ABSENT;
    private int bodyCode = ABSENT;
    private int bodySections;

    /** @throws io.ringtable.client.RingtableException RT-5030 if it is no AMQP message */
    EncodedMessage(byte[] encoded) {
        this.encoded = encoded;
        try {
            int at = 0;
            while (at < encoded.length) {
                at = index(at);
            }
        } catch (IndexOutOfBoundsException truncated) {
            throw Errors.body("the message is cut off", truncated);
        }
    }

    /** Notes the section that begins here and returns where the next one begins. */
    private int index(int at) {
        int code = sectionCode(at);
        switch (code) {
            case HEADER -> headerAt = at;
            case PROPERTIES -> propertiesAt = at;
            case APPLICATION_PROPERTIES -> applicationPropertiesAt = at;
            case DATA, SEQUENCE, VALUE -> {
                bodySections++;
                if (bodyAt == ABSENT) {
                    bodyAt = at;
                    bodyCode = code;
                }
            }
            default -> {
                // Annotations and footers are not shown to applications.
            }
        }
        int end = AmqpScanner.skip(encoded, at);
        if (end > encoded.length) {
            throw new IndexOutOfBoundsException(end);
        }
        return end;
    }

    private int sectionCode(int at) {
        if (encoded[at] != 0) {
            throw Errors.body("no section begins at byte " + at, null);
        }
        return AmqpScanner.descriptorCode(encoded, at + 1);
    }

    Header header() {
        return headerAt == ABSENT ? null : (Header) decode(headerAt);
    }

    Properties properties() {
        return propertiesAt == ABSENT ? null : (Properties) decode(propertiesAt);
    }

    Map<String, Object> applicationProperties() {
        if (applicationPropertiesAt == ABSENT) {
            return Map.of();
        }
        Map<String, Object> read = ((ApplicationProperties) decode(applicationPropertiesAt)).getValue();
        if (read == null) {
            return Map.of();
        }
        Map<String, Object> properties = new LinkedHashMap<>();
        read.forEach((name, value) -> properties.put(name, JavaValues.of(value)));
        return Collections.unmodifiableMap(properties);
    }

    byte[] bytes() {
        if (bodyAt == ABSENT) {
            return new byte[0];
        }
        if (bodyCode == DATA) {
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

    String text() {
        if (bodyAt == ABSENT) {
            return "";
        }
        if (bodyCode == DATA) {
            return new String(data(), StandardCharsets.UTF_8);
        }
        Object value = value();
        if (value instanceof String text) {
            return text;
        }
        throw Errors.body("it is " + kind(value) + ", not text: use value()", null);
    }

    Object value() {
        if (bodyAt == ABSENT) {
            return null;
        }
        if (bodyCode == DATA) {
            return data();
        }
        if (bodyCode == SEQUENCE) {
            List<Object> all = new ArrayList<>();
            for (Section<?> section : bodySections()) {
                ((AmqpSequence<?>) section).getValue().forEach(value -> all.add(JavaValues.of(value)));
            }
            return all;
        }
        return JavaValues.of(((AmqpValue<?>) decode(bodyAt)).getValue());
    }

    private byte[] data() {
        if (bodySections == 1) {
            return AmqpScanner.binary(encoded, AmqpScanner.valueOf(encoded, bodyAt));
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int at = bodyAt;
        for (int i = 0; i < bodySections; i++) {
            all.writeBytes(AmqpScanner.binary(encoded, AmqpScanner.valueOf(encoded, at)));
            at = AmqpScanner.skip(encoded, at);
        }
        return all.toByteArray();
    }

    private List<Section<?>> bodySections() {
        List<Section<?>> sections = new ArrayList<>();
        int at = bodyAt;
        for (int i = 0; i < bodySections; i++) {
            sections.add(decode(at));
            at = AmqpScanner.skip(encoded, at);
        }
        return sections;
    }

    private Section<?> decode(int at) {
        ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator()
                .copy(Arrays.copyOfRange(encoded, at, AmqpScanner.skip(encoded, at)));
        Decoder decoder = DECODERS.get();
        DecoderState state = decoder.newDecoderState();
        try {
            return (Section<?>) decoder.readObject(buffer, state);
        } catch (RuntimeException damaged) {
            throw Errors.body("the message is damaged at byte " + at, damaged);
        }
    }

    private static String kind(Object value) {
        return value == null ? "null" : "a " + value.getClass().getSimpleName();
    }
}
