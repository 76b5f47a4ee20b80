package io.ringtable.broker.amqp.selector;

import io.ringtable.broker.message.Message;
import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Sections;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.selector.filter.Filterable;

/**
 * Shows a message to selectors: the headers that JMS allows (section 3.8.1.1) as Qpid JMS shows them, and the
 * application's properties. Finds the sections once for all selectors that a message meets, and reads only the values
 * that a selector asks for. Shows no nested values, and no texts longer than {@value #TEXT_BYTES_MAX} bytes.
 * <p>
 * Thread: any; immutable. Failure: a section that cannot be read shows nothing.
 */
final class SelectedMessage implements Filterable {
    /** The longest text that a selector sees, in bytes. */
    static final int TEXT_BYTES_MAX = 32_768;

    private static final int MESSAGE_ID = 0; // fields of the properties
    private static final int USER_ID = 1;
    private static final int SUBJECT = 3;
    private static final int CORRELATION_ID = 5;
    private static final int CREATION_TIME = 9;
    private static final int GROUP_ID = 10;
    private static final int GROUP_SEQUENCE = 11;

    private final Message message;
    private final byte[] bytes;
    private final boolean durable;
    private final int propertiesAt; // where the first field begins
    private final int propertiesEnd;
    private final int propertiesCount;
    private final PropertyIndex applicationProperties;

    /** Returns the view of that message, which has one while it is in memory. */
    public static SelectedMessage of(Message message) {
        return message.view(SelectedMessage::new);
    }

    SelectedMessage(Message message) {
        this.message = message;
        this.bytes = message.encoded();
        boolean isDurable = false;
        int at = 0;
        int end = 0;
        int count = 0;
        PropertyIndex index = PropertyIndex.EMPTY;
        Sections sections = new Sections().over(bytes, 0, bytes.length);
        try {
            while (sections.advance() && sections.code() < Sections.DATA) {
                switch (sections.code()) {
                    case Sections.HEADER -> {
                        isDurable = sections.count() > 0
                                && Encoding.skip(bytes, sections.first(), sections.next()) > 0
                                && Encoding.isTrue(bytes, sections.first());
                    }
                    case Sections.PROPERTIES -> {
                        at = sections.first();
                        end = sections.next();
                        count = sections.count();
                    }
                    case Sections.APPLICATION_PROPERTIES ->
                        index = PropertyIndex.of(bytes, sections.first(), sections.next(), sections.count());
                    default -> {
                        // No selector asks for annotations.
                    }
                }
            }
        } catch (MalformedMessage e) {
            // Cannot happen, as the broker checks messages; the sections before it stand.
        }
        durable = isDurable;
        propertiesAt = at;
        propertiesEnd = end;
        propertiesCount = count;
        applicationProperties = index;
    }

    @Override
    public Object getProperty(SimpleString asked) {
        String name = asked.toString();
        return switch (name) {
            case "JMSPriority" -> message.priority();
            case "JMSDeliveryMode" -> durable ? "PERSISTENT" : "NON_PERSISTENT";
            case "JMSMessageID" -> messageId(field(MESSAGE_ID));
            case "JMSCorrelationID" -> correlationId(field(CORRELATION_ID));
            case "JMSType" -> text(field(SUBJECT));
            case "JMSTimestamp" -> number(field(CREATION_TIME));
            case "JMSXGroupID" -> text(field(GROUP_ID));
            case "JMSXGroupSeq" -> {
                Long sequence = number(field(GROUP_SEQUENCE));
                yield sequence == null ? null : (Object) sequence.intValue();
            }
            case "JMSXUserID" -> userId(field(USER_ID));
            default -> {
                int found = applicationProperties.find(name);
                yield found < 0 ? null : value(found);
            }
        };
    }

    /** Returns where that field of the properties begins; -1 if it is absent. */
    private int field(int wanted) {
        if (wanted >= propertiesCount) {
            return -1;
        }
        try {
            int position = propertiesAt;
            for (int i = 0; i < wanted; i++) {
                position = Encoding.skip(bytes, position, propertiesEnd);
            }
            Encoding.skip(bytes, position, propertiesEnd);
            return position;
        } catch (MalformedMessage e) {
            return -1; // the message is older than this check
        }
    }

    // ---- headers

    /** Shows an identifier as Qpid JMS does: a string with ID: before it, others with their type. */
    private String messageId(int at) {
        String text = text(at);
        if (text == null) {
            return typed(at);
        }
        return text.startsWith("ID:") ? text : "ID:AMQP_NO_PREFIX:" + text;
    }

    private String correlationId(int at) {
        String text = text(at);
        return text == null ? typed(at) : text;
    }

    private String typed(int at) {
        if (at < 0) {
            return null;
        }
        return switch (bytes[at] & 0xff) {
            case Encoding.ULONG_0, Encoding.ULONG_SMALL, Encoding.ULONG ->
                "ID:AMQP_ULONG:" + Long.toUnsignedString(number(at));
            case Encoding.UUID ->
                "ID:AMQP_UUID:" + new UUID(Encoding.int64(bytes, at + 1), Encoding.int64(bytes, at + 1 + Long.BYTES));
            default -> {
                byte[] binary = binary(at);
                yield binary == null
                        ? null
                        : "ID:AMQP_BINARY:" + HexFormat.of().withUpperCase().formatHex(binary);
            }
        };
    }

    private String userId(int at) {
        byte[] binary = binary(at);
        return binary == null ? null : new String(binary, StandardCharsets.UTF_8);
    }

    /** Returns null if the value is not a binary, or too long. */
    private byte[] binary(int at) {
        if (at < 0) {
            return null;
        }
        int code = bytes[at] & 0xff;
        if (code != Encoding.BINARY_8 && code != Encoding.BINARY_32) {
            return null;
        }
        int start = at + (code == Encoding.BINARY_8 ? 2 : 5);
        int length = code == Encoding.BINARY_8 ? bytes[at + 1] & 0xff : Encoding.int32(bytes, at + 1);
        return length > TEXT_BYTES_MAX ? null : Arrays.copyOfRange(bytes, start, start + length);
    }

    // ---- values

    /** Returns null if the value is not a string, or too long. */
    private String text(int at) {
        if (at < 0) {
            return null;
        }
        int start = Encoding.textStart(bytes, at);
        int length = start < 0 ? 0 : Encoding.textLength(bytes, at);
        return start < 0 || length > TEXT_BYTES_MAX ? null : new String(bytes, start, length, StandardCharsets.UTF_8);
    }

    /** Returns null if the value is neither an integer nor a time. */
    private Long number(int at) {
        if (at < 0 || !isInteger(bytes[at] & 0xff)) {
            return null;
        }
        try {
            return Encoding.number(bytes, at, bytes.length, 0);
        } catch (MalformedMessage e) {
            throw new IllegalStateException(e); // cannot happen: the walker has passed it
        }
    }

    private static boolean isInteger(int code) {
        return switch (code) {
            case Encoding.UINT_0,
                    Encoding.UINT_SMALL,
                    Encoding.UINT,
                    Encoding.ULONG_0,
                    Encoding.ULONG_SMALL,
                    Encoding.ULONG,
                    Encoding.UBYTE,
                    Encoding.USHORT,
                    Encoding.BYTE,
                    Encoding.SHORT,
                    Encoding.INT_SMALL,
                    Encoding.INT,
                    Encoding.LONG_SMALL,
                    Encoding.LONG,
                    Encoding.TIMESTAMP -> true;
            default -> false;
        };
    }

    /** Returns a number, string or boolean as selectors know them; else an object that is equal to nothing. */
    private Object value(int at) {
        int code = bytes[at] & 0xff;
        return switch (code) {
            case Encoding.NULL -> null;
            case Encoding.TRUE, Encoding.FALSE, Encoding.BOOLEAN -> Encoding.isTrue(bytes, at);
            case Encoding.BYTE -> number(at).byteValue();
            case Encoding.SHORT -> number(at).shortValue();
            case Encoding.INT_SMALL, Encoding.INT -> number(at).intValue();
            case Encoding.FLOAT -> Float.intBitsToFloat(Encoding.int32(bytes, at + 1));
            case Encoding.DOUBLE -> Double.longBitsToDouble(Encoding.int64(bytes, at + 1));
            default -> {
                Object known = isInteger(code) ? number(at) : text(at);
                yield known == null ? new Object() : known;
            }
        };
    }

    /** Returns nothing: only selectors on bodies would ask, and JMS has none. */
    @Override
    public <T> T getBodyAs(Class<T> type) {
        return null;
    }

    @Override
    public SimpleString getLocalConnectionId() {
        return null;
    }
}
