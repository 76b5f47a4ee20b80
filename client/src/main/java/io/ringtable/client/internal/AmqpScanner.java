package io.ringtable.client.internal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Finds its way through AMQP 1.0 encodings (section 1.6) without decoding them. */
final class AmqpScanner {

    private AmqpScanner() {}

    /** Where the value that begins here ends, its constructor and descriptor included. */
    static int skip(byte[] encoded, int at) {
        int constructor = encoded[at] & 0xff;
        if (constructor == 0) {
            return skip(encoded, skip(encoded, at + 1));
        }
        switch (constructor >> 4) {
            case 0x4:
                return at + 1;
            case 0x5:
                return at + 2;
            case 0x6:
                return at + 3;
            case 0x7:
                return at + 5;
            case 0x8:
                return at + 9;
            case 0x9:
                return at + 17;
            case 0xa, 0xc, 0xe:
                return at + 2 + (encoded[at + 1] & 0xff);
            case 0xb, 0xd, 0xf:
                return end(encoded, at + 5, intAt(encoded, at + 1));
            default:
                throw Errors.body("0x" + Integer.toHexString(constructor) + " at byte " + at + " is no type", null);
        }
    }

    private static int end(byte[] encoded, int from, int size) {
        if (size < 0 || size > encoded.length - from) {
            throw new IndexOutOfBoundsException(from);
        }
        return from + size;
    }

    /** The number of a descriptor, which may be a small or a full ulong or a symbol in either length. */
    static int descriptorCode(byte[] encoded, int at) {
        switch (encoded[at] & 0xff) {
            case 0x53:
                return encoded[at + 1] & 0xff;
            case 0x80:
                return intAt(encoded, at + 1) == 0 ? intAt(encoded, at + 5) : -1;
            case 0xa3:
                return namedCode(new String(encoded, at + 2, encoded[at + 1] & 0xff, StandardCharsets.US_ASCII));
            case 0xb3:
                return namedCode(new String(encoded, at + 5, intAt(encoded, at + 1), StandardCharsets.US_ASCII));
            default:
                return -1;
        }
    }

    private static int namedCode(String symbol) {
        return switch (symbol) {
            case "amqp:header:list" -> 0x70;
            case "amqp:delivery-annotations:map" -> 0x71;
            case "amqp:message-annotations:map" -> 0x72;
            case "amqp:properties:list" -> 0x73;
            case "amqp:application-properties:map" -> 0x74;
            case "amqp:data:binary" -> 0x75;
            case "amqp:amqp-sequence:list" -> 0x76;
            case "amqp:amqp-value:*" -> 0x77;
            case "amqp:footer:map" -> 0x78;
            default -> -1;
        };
    }

    /** Where the value of a described type begins. */
    static int valueOf(byte[] encoded, int at) {
        return skip(encoded, at + 1);
    }

    /** The bytes of the binary that begins here. */
    static byte[] binary(byte[] encoded, int at) {
        int constructor = encoded[at] & 0xff;
        if (constructor == 0xa0) {
            return Arrays.copyOfRange(encoded, at + 2, at + 2 + (encoded[at + 1] & 0xff));
        }
        if (constructor == 0xb0) {
            return Arrays.copyOfRange(encoded, at + 5, end(encoded, at + 5, intAt(encoded, at + 1)));
        }
        throw Errors.body("a data section holds no binary", null);
    }

    private static int intAt(byte[] encoded, int at) {
        return (encoded[at] & 0xff) << 24
                | (encoded[at + 1] & 0xff) << 16
                | (encoded[at + 2] & 0xff) << 8
                | encoded[at + 3] & 0xff;
    }
}
