package io.ringtable.wire;

import java.util.Arrays;

/**
 * Walks over AMQP's encoded values without decoding them (AMQP 1.0 section 1.6). The upper half of a constructor says
 * how long its value is.
 * <p>
 * Thread: any; holds nothing.
 */
public final class Encoding {
    public static final int DESCRIBED = 0x00;
    public static final int NULL = 0x40;
    public static final int TRUE = 0x41;
    public static final int FALSE = 0x42;
    public static final int UINT_0 = 0x43;
    public static final int ULONG_0 = 0x44;
    public static final int LIST_0 = 0x45;
    public static final int UBYTE = 0x50;
    public static final int BYTE = 0x51;
    public static final int UINT_SMALL = 0x52;
    public static final int ULONG_SMALL = 0x53;
    public static final int INT_SMALL = 0x54;
    public static final int LONG_SMALL = 0x55;
    public static final int BOOLEAN = 0x56;
    public static final int USHORT = 0x60;
    public static final int SHORT = 0x61;
    public static final int UINT = 0x70;
    public static final int INT = 0x71;
    public static final int FLOAT = 0x72;
    public static final int CHAR = 0x73;
    public static final int ULONG = 0x80;
    public static final int LONG = 0x81;
    public static final int DOUBLE = 0x82;
    public static final int TIMESTAMP = 0x83;
    public static final int UUID = 0x98;
    public static final int BINARY_8 = 0xa0;
    public static final int STRING_8 = 0xa1;
    public static final int SYMBOL_8 = 0xa3;
    public static final int BINARY_32 = 0xb0;
    public static final int STRING_32 = 0xb1;
    public static final int SYMBOL_32 = 0xb3;
    public static final int LIST_8 = 0xc0;
    public static final int MAP_8 = 0xc1;
    public static final int LIST_32 = 0xd0;
    public static final int MAP_32 = 0xd1;

    private static final int DESCRIBED_DEPTH_MAX = 16;
    private static final byte[] NOTHING = {};

    private Encoding() {}

    /** Returns where the value that begins at {@code position} ends. */
    public static int skip(byte[] bytes, int position, int end) throws MalformedMessage {
        return skipped(bytes, position, end, 0);
    }

    private static int skipped(byte[] bytes, int position, int end, int depth) throws MalformedMessage {
        int code = code(bytes, position, end);
        if (code == DESCRIBED) {
            if (depth == DESCRIBED_DEPTH_MAX) {
                throw new MalformedMessage("described values are nested deeper than " + DESCRIBED_DEPTH_MAX);
            }
            int value = skipped(bytes, position + 1, end, depth + 1);
            return skipped(bytes, value, end, depth + 1);
        }
        return skipValue(bytes, code, position + 1, end);
    }

    /**
     * Returns where the value behind a constructor ends.
     *
     * @param code the constructor; not {@link #DESCRIBED}
     * @param next where the value begins
     */
    static int skipValue(byte[] bytes, int code, int next, int end) throws MalformedMessage {
        return switch (code >> 4) {
            case 0x4 -> next;
            case 0x5 -> bounded(next, 1, end);
            case 0x6 -> bounded(next, 2, end);
            case 0x7 -> bounded(next, 4, end);
            case 0x8 -> bounded(next, 8, end);
            case 0x9 -> bounded(next, 16, end);
            case 0xa, 0xc, 0xe -> {
                int start = bounded(next, 1, end);
                yield bounded(start, bytes[next] & 0xff, end);
            }
            case 0xb, 0xd, 0xf -> {
                int start = bounded(next, 4, end);
                yield bounded(start, int32(bytes, next), end);
            }
            default ->
                throw new MalformedMessage("constructor 0x" + Integer.toHexString(code) + " before byte " + next);
        };
    }

    /** Returns the constructor at {@code position}. */
    public static int code(byte[] bytes, int position, int end) throws MalformedMessage {
        if (position >= end) {
            throw new MalformedMessage("ends at byte " + position + " where a value is expected");
        }
        return bytes[position] & 0xff;
    }

    /** Returns {@code start + length}, which must not pass {@code end}. A length above 2 GiB reads as negative. */
    public static int bounded(int start, int length, int end) throws MalformedMessage {
        if (length < 0 || length > end - start) {
            throw new MalformedMessage("a value of " + Integer.toUnsignedString(length) + " bytes at byte " + start
                    + " passes the end at " + end);
        }
        return start + length;
    }

    public static int int32(byte[] bytes, int position) {
        return (bytes[position] & 0xff) << 24
                | (bytes[position + 1] & 0xff) << 16
                | (bytes[position + 2] & 0xff) << 8
                | bytes[position + 3] & 0xff;
    }

    public static long int64(byte[] bytes, int position) {
        return (long) int32(bytes, position) << 32 | int32(bytes, position + 4) & 0xffffffffL;
    }

    /** Returns an integer of any width; {@code otherwise} if the value is null or of another type. */
    public static long number(byte[] bytes, int position, int end, long otherwise) throws MalformedMessage {
        skip(bytes, position, end);
        int value = position + 1;
        return switch (bytes[position] & 0xff) {
            case UINT_0, ULONG_0 -> 0;
            case UBYTE, UINT_SMALL, ULONG_SMALL -> bytes[value] & 0xff;
            case BYTE, INT_SMALL, LONG_SMALL -> bytes[value];
            case USHORT -> (bytes[value] & 0xff) << 8 | bytes[value + 1] & 0xff;
            case SHORT -> (short) ((bytes[value] & 0xff) << 8 | bytes[value + 1] & 0xff);
            case UINT -> int32(bytes, value) & 0xffffffffL;
            case INT -> int32(bytes, value);
            case ULONG, LONG, TIMESTAMP -> int64(bytes, value);
            default -> otherwise;
        };
    }

    /** Returns whether the value at {@code position} is true. */
    public static boolean isTrue(byte[] bytes, int position) {
        int code = bytes[position] & 0xff;
        return code == TRUE || code == BOOLEAN && bytes[position + 1] == 1;
    }

    /** Returns whether the value at {@code position} is a string or symbol of that ASCII text. */
    public static boolean textEquals(byte[] bytes, int position, int end, byte[] ascii) {
        int code = bytes[position] & 0xff;
        int start;
        int length;
        if (code == SYMBOL_8 || code == STRING_8) {
            start = position + 2;
            length = bytes[position + 1] & 0xff;
        } else if (code == SYMBOL_32 || code == STRING_32) {
            start = position + 5;
            length = int32(bytes, position + 1);
        } else {
            return false;
        }
        if (length != ascii.length || length > end - start) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[start + i] != ascii[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns where the bytes of a string or symbol begin, once {@link #skip} has passed it; -1 if it is neither. */
    public static int textStart(byte[] bytes, int position) {
        return switch (bytes[position] & 0xff) {
            case STRING_8, SYMBOL_8 -> position + 2;
            case STRING_32, SYMBOL_32 -> position + 5;
            default -> -1;
        };
    }

    /** Returns the length of a string or symbol in bytes, once {@link #skip} has passed it. */
    public static int textLength(byte[] bytes, int position) {
        int code = bytes[position] & 0xff;
        return code == STRING_8 || code == SYMBOL_8 ? bytes[position + 1] & 0xff : int32(bytes, position + 1);
    }

    /** Returns the bytes of a string, symbol or binary, once {@link #skip} has passed it; else no bytes. */
    public static byte[] variable(byte[] bytes, int position) {
        return switch (bytes[position] & 0xff) {
            case STRING_8, SYMBOL_8, BINARY_8 ->
                Arrays.copyOfRange(bytes, position + 2, position + 2 + (bytes[position + 1] & 0xff));
            case STRING_32, SYMBOL_32, BINARY_32 ->
                Arrays.copyOfRange(bytes, position + 5, position + 5 + int32(bytes, position + 1));
            default -> NOTHING;
        };
    }

    /** Returns whether a value, once {@link #skip} has passed it, is a string or symbol of that ASCII text. */
    public static boolean textEquals(byte[] bytes, int position, String ascii) {
        int start = textStart(bytes, position);
        if (start < 0 || textLength(bytes, position) != ascii.length()) {
            return false;
        }
        for (int i = 0; i < ascii.length(); i++) {
            if (bytes[start + i] != ascii.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    public static void putInt32(byte[] target, int position, int value) {
        target[position] = (byte) (value >> 24);
        target[position + 1] = (byte) (value >> 16);
        target[position + 2] = (byte) (value >> 8);
        target[position + 3] = (byte) value;
    }

    public static void putInt64(byte[] target, int position, long value) {
        putInt32(target, position, (int) (value >> 32));
        putInt32(target, position + 4, (int) value);
    }
}
