package io.ringtable.broker.amqp;

import io.ringtable.broker.message.Message;
import java.util.Map;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.selector.filter.Filterable;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.DecodeException;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedByte;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.UnsignedShort;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;

/**
 * What a selector may ask of a message: the headers that JMS allows (section 3.8.1.1) as Qpid JMS shows them, and the
 * application's properties. Sections are decoded when the first of their fields is asked for; the body never is.
 * <p>
 * Thread: one.
 */
final class SelectedMessage implements Filterable {
    private static final ThreadLocal<Decoder> DECODER = ThreadLocal.withInitial(CodecFactory::getDecoder);

    private final Message message;
    private boolean located;
    private int headerAt = -1;
    private int propertiesAt = -1;
    private int applicationPropertiesAt = -1;
    private Header header;
    private Properties properties;
    private Map<String, Object> applicationProperties;

    SelectedMessage(Message message) {
        this.message = message;
    }

    @Override
    public Object getProperty(SimpleString name) {
        return switch (name.toString()) {
            case "JMSPriority" -> message.priority();
            case "JMSDeliveryMode" -> header().isDurable() ? "PERSISTENT" : "NON_PERSISTENT";
            case "JMSMessageID" -> messageId(properties().getMessageId());
            case "JMSCorrelationID" -> correlationId(properties().getCorrelationId());
            case "JMSType" -> properties().getSubject();
            case "JMSTimestamp" -> properties().hasCreationTime() ? properties().getCreationTime() : null;
            case "JMSXGroupID" -> properties().getGroupId();
            case "JMSXGroupSeq" ->
                properties().hasGroupSequence() ? (int) properties().getGroupSequence() : null;
            case "JMSXUserID" -> userId(properties().getUserId());
            default -> comparable(applicationProperties().get(name.toString()));
        };
    }

    /** As Qpid JMS shows an identifier: a string with ID: before it, others with their type. */
    private static String messageId(Object id) {
        if (id instanceof String text) {
            return text.startsWith("ID:") ? text : "ID:AMQP_NO_PREFIX:" + text;
        }
        return typed(id);
    }

    private static String correlationId(Object id) {
        return id instanceof String text ? text : typed(id);
    }

    private static String typed(Object id) {
        if (id instanceof UnsignedLong number) {
            return "ID:AMQP_ULONG:" + number;
        }
        if (id instanceof java.util.UUID uuid) {
            return "ID:AMQP_UUID:" + uuid;
        }
        if (id instanceof Binary bytes) {
            return "ID:AMQP_BINARY:" + java.util.HexFormat.of().withUpperCase().formatHex(bytes.asByteArray());
        }
        return null;
    }

    private static String userId(Binary user) {
        return user == null ? null : new String(user.asByteArray(), java.nio.charset.StandardCharsets.UTF_8);
    }

    /** What the selector's operators know: Java's numbers, strings and booleans. */
    private static Object comparable(Object value) {
        if (value instanceof Symbol symbol) {
            return symbol.toString();
        }
        if (value instanceof UnsignedByte
                || value instanceof UnsignedShort
                || value instanceof UnsignedInteger
                || value instanceof UnsignedLong) {
            return ((Number) value).longValue();
        }
        return value;
    }

    /** Nothing but a selector on a body would ask: JMS has none. */
    @Override
    public <T> T getBodyAs(Class<T> type) {
        return null;
    }

    @Override
    public SimpleString getLocalConnectionId() {
        return null;
    }

    // ---- sections

    private Header header() {
        if (header == null) {
            locate();
            header = decode(headerAt, Header.class, new Header());
        }
        return header;
    }

    private Properties properties() {
        if (properties == null) {
            locate();
            properties = decode(propertiesAt, Properties.class, new Properties());
        }
        return properties;
    }

    private Map<String, Object> applicationProperties() {
        if (applicationProperties == null) {
            locate();
            Map<String, Object> values = decode(
                            applicationPropertiesAt, ApplicationProperties.class, new ApplicationProperties(Map.of()))
                    .getValue();
            applicationProperties = values == null ? Map.of() : values;
        }
        return applicationProperties;
    }

    private void locate() {
        if (located) {
            return;
        }
        located = true;
        byte[] bytes = message.encoded();
        Sections sections = new Sections().over(bytes, 0, bytes.length);
        try {
            while (sections.advance() && sections.code < Sections.DATA) {
                switch (sections.code) {
                    case Sections.HEADER -> headerAt = sections.start;
                    case Sections.PROPERTIES -> propertiesAt = sections.start;
                    case Sections.APPLICATION_PROPERTIES -> applicationPropertiesAt = sections.start;
                    default -> {
                        // No selector asks for annotations.
                    }
                }
            }
        } catch (MalformedMessage e) {
            // It came through the broker's own check; what was found before stands.
        }
    }

    /** @param absent what stands for a section that is not there, or that nobody can read */
    private <T> T decode(int at, Class<T> type, T absent) {
        if (at < 0) {
            return absent;
        }
        byte[] bytes = message.encoded();
        Decoder decoder = DECODER.get();
        try {
            return decoder.readObject(
                    ProtonByteArrayBufferAllocator.wrapped(bytes, at, bytes.length - at),
                    decoder.getCachedDecoderState(),
                    type);
        } catch (DecodeException | ClassCastException e) {
            return absent;
        }
    }
}
