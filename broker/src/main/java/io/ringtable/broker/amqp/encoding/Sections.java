package io.ringtable.broker.amqp.encoding;

import java.nio.charset.StandardCharsets;

/**
 * Steps over the sections of an encoded message (AMQP 1.0 section 3.2), one after the other.
 * <p>
 * Thread: one at a time; reused from message to message.
 */
public final class Sections {
    public static final int HEADER = 0x70;
    static final int DELIVERY_ANNOTATIONS = 0x71;
    static final int MESSAGE_ANNOTATIONS = 0x72;
    public static final int PROPERTIES = 0x73;
    public static final int APPLICATION_PROPERTIES = 0x74;
    public static final int DATA = 0x75;
    public static final int SEQUENCE = 0x76;
    public static final int VALUE = 0x77;
    static final int FOOTER = 0x78;

    private static final byte[][] SYMBOLS = {
        ascii("amqp:header:list"),
        ascii("amqp:delivery-annotations:map"),
        ascii("amqp:message-annotations:map"),
        ascii("amqp:properties:list"),
        ascii("amqp:application-properties:map"),
        ascii("amqp:data:binary"),
        ascii("amqp:amqp-sequence:list"),
        ascii("amqp:amqp-value:*"),
        ascii("amqp:footer:map")
    };

    byte[] bytes;
    int end;
    /** Code of the section found last, one of the constants. */
    int code;
    /** Its first byte: the descriptor. */
    int start;
    /** Its value, after the descriptor. */
    int value;
    /** Where it ends and the next one begins. */
    int next;

    /** Code of the section found last, one of the constants. */
    public int code() {
        return code;
    }

    /** Where the section found last ends and the next one begins. */
    public int next() {
        return next;
    }

    public static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    public Sections over(byte[] message, int from, int to) {
        bytes = message;
        end = to;
        next = from;
        return this;
    }

    /** Finds the next section; false at the end. */
    public boolean advance() throws MalformedMessage {
        if (next == end) {
            return false;
        }
        start = next;
        if (bytes[start] != Encoding.DESCRIBED) {
            throw new MalformedMessage("no section begins at byte " + start);
        }
        value = Encoding.skip(bytes, start + 1, end);
        code = sectionCode();
        next = Encoding.skip(bytes, value, end);
        requireType();
        return true;
    }

    private int sectionCode() throws MalformedMessage {
        int descriptor = start + 1;
        if ((bytes[descriptor] & 0xff) == Encoding.ULONG_SMALL) {
            int found = bytes[descriptor + 1] & 0xff;
            if (found >= HEADER && found <= FOOTER) {
                return found;
            }
        }
        long number = Encoding.number(bytes, descriptor, end, -1);
        if (number >= HEADER && number <= FOOTER) {
            return (int) number;
        }
        for (int i = 0; i < SYMBOLS.length; i++) {
            if (Encoding.textEquals(bytes, descriptor, end, SYMBOLS[i])) {
                return HEADER + i;
            }
        }
        throw new MalformedMessage("unknown section at byte " + start);
    }

    private void requireType() throws MalformedMessage {
        int type = bytes[value] & 0xff;
        boolean fits = switch (code) {
            case HEADER, PROPERTIES, SEQUENCE -> isList(type);
            case DATA -> type == Encoding.BINARY_8 || type == Encoding.BINARY_32;
            case VALUE -> true;
            default -> type == Encoding.MAP_8 || type == Encoding.MAP_32;
        };
        if (!fits) {
            throw new MalformedMessage("section 0x" + Integer.toHexString(code) + " at byte " + start
                    + " has a value of type 0x" + Integer.toHexString(type));
        }
        requireRoomForCount(type);
    }

    private void requireRoomForCount(int type) throws MalformedMessage {
        int size = switch (type) {
            case Encoding.LIST_8, Encoding.MAP_8 -> (bytes[value + 1] & 0xff) - 1;
            case Encoding.LIST_32, Encoding.MAP_32 -> Encoding.int32(bytes, value + 1) - 4;
            default -> 0;
        };
        if (size < 0) {
            throw new MalformedMessage("a list or map at byte " + value + " has no room for its count");
        }
    }

    private static boolean isList(int type) {
        return type == Encoding.LIST_0 || type == Encoding.LIST_8 || type == Encoding.LIST_32;
    }

    /** Elements of the section's list or map. */
    public int count() {
        return switch (bytes[value] & 0xff) {
            case Encoding.LIST_8, Encoding.MAP_8 -> bytes[value + 2] & 0xff;
            case Encoding.LIST_32, Encoding.MAP_32 -> Encoding.int32(bytes, value + 5);
            default -> 0;
        };
    }

    /** Where the first element of the section's list or map is; of a binary, its first byte. */
    public int first() {
        return switch (bytes[value] & 0xff) {
            case Encoding.LIST_8, Encoding.MAP_8 -> value + 3;
            case Encoding.LIST_32, Encoding.MAP_32 -> value + 9;
            case Encoding.BINARY_8 -> value + 2;
            case Encoding.BINARY_32 -> value + 5;
            default -> next;
        };
    }
}
