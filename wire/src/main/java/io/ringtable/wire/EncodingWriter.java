package io.ringtable.wire;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;

/**
 * Writes AMQP's encoded values (AMQP 1.0 section 1.6) into an array that grows.
 * <p>
 * Thread: one at a time; reused from message to message.
 */
public final class EncodingWriter {
    private static final int SHORT_MAX = 255;
    private static final int INITIAL_BYTES = 1024;
    /** The size above which {@link #reset} replaces the array. */
    private static final int KEPT_BYTES_MAX = 1024 * 1024;

    private byte[] array = new byte[INITIAL_BYTES];
    private int position;

    /** Starts again from the beginning. */
    public void reset() {
        position = 0;
        if (array.length > KEPT_BYTES_MAX) {
            array = new byte[INITIAL_BYTES];
        }
    }

    public int position() {
        return position;
    }

    public byte[] toBytes() {
        return Arrays.copyOf(array, position);
    }

    /** Returns the array itself: the bytes up to {@link #position} are written, those behind are not. */
    public byte[] array() {
        return array;
    }

    /** Begins a section of a message; its value follows. */
    public void section(int code) {
        reserve(3);
        array[position++] = Encoding.DESCRIBED;
        array[position++] = (byte) Encoding.ULONG_SMALL;
        array[position++] = (byte) code;
    }

    /** Begins a list or map of 32 bits; {@link #endCompound} fills in its size and count. */
    public int beginCompound(int constructor) {
        reserve(9);
        array[position++] = (byte) constructor;
        int start = position;
        position += 8;
        return start;
    }

    public void endCompound(int start, int count) {
        Encoding.putInt32(array, start, position - start - 4);
        Encoding.putInt32(array, start + 4, count);
    }

    /** Begins a list of 8 bits, of at most 254 bytes of content; {@link #endShortList} fills in its size and count. */
    public int beginShortList() {
        reserve(3);
        array[position++] = (byte) Encoding.LIST_8;
        int start = position;
        position += 2;
        return start;
    }

    public void endShortList(int start, int count) {
        array[start] = (byte) (position - start - 1);
        array[start + 1] = (byte) count;
    }

    public void writeNull() {
        writeByte(Encoding.NULL);
    }

    public void writeBoolean(boolean value) {
        writeByte(value ? Encoding.TRUE : Encoding.FALSE);
    }

    public void writeUbyte(int value) {
        fixed8(Encoding.UBYTE, value);
    }

    public void writeUint(long value) {
        fixed32(Encoding.UINT, (int) value);
    }

    public void writeString(String value) {
        variable(Encoding.STRING_8, Encoding.STRING_32, value.getBytes(StandardCharsets.UTF_8));
    }

    public void writeSymbol(String value) {
        variable(Encoding.SYMBOL_8, Encoding.SYMBOL_32, value.getBytes(StandardCharsets.US_ASCII));
    }

    public void writeBinary(byte[] value) {
        variable(Encoding.BINARY_8, Encoding.BINARY_32, value);
    }

    /** Writes bytes that are encoded already, as they are. */
    public void writeEncoded(byte[] encoded, int from, int length) {
        reserve(length);
        System.arraycopy(encoded, from, array, position, length);
        position += length;
    }

    /** Writes a value; returns false if it cannot write values of this type. */
    public boolean writeValue(Object value) {
        if (value == null) {
            writeNull();
        } else if (value instanceof String text) {
            writeString(text);
        } else if (value instanceof Integer number) {
            fixed32(Encoding.INT, number);
        } else if (value instanceof Long number) {
            fixed64(Encoding.LONG, number);
        } else if (value instanceof Boolean flag) {
            writeBoolean(flag);
        } else if (value instanceof Double number) {
            fixed64(Encoding.DOUBLE, Double.doubleToLongBits(number));
        } else if (value instanceof Float number) {
            fixed32(Encoding.FLOAT, Float.floatToIntBits(number));
        } else {
            return writeRareValue(value);
        }
        return true;
    }

    private boolean writeRareValue(Object value) {
        if (value instanceof Short number) {
            reserve(3);
            array[position++] = (byte) Encoding.SHORT;
            array[position++] = (byte) (number >> 8);
            array[position++] = (byte) (short) number;
        } else if (value instanceof Byte number) {
            fixed8(Encoding.BYTE, number);
        } else if (value instanceof Character character) {
            fixed32(Encoding.CHAR, character);
        } else if (value instanceof UUID id) {
            reserve(17);
            array[position++] = (byte) Encoding.UUID;
            putInt64(id.getMostSignificantBits());
            putInt64(id.getLeastSignificantBits());
        } else if (value instanceof Instant instant) {
            fixed64(Encoding.TIMESTAMP, instant.toEpochMilli());
        } else if (value instanceof byte[] bytes) {
            writeBinary(bytes);
        } else {
            return false;
        }
        return true;
    }

    /** Writes one byte as it is: a value without content, or a part of a value. */
    public void writeByte(int value) {
        reserve(1);
        array[position++] = (byte) value;
    }

    private void fixed8(int constructor, int value) {
        reserve(2);
        array[position++] = (byte) constructor;
        array[position++] = (byte) value;
    }

    private void fixed32(int constructor, int value) {
        reserve(5);
        array[position++] = (byte) constructor;
        Encoding.putInt32(array, position, value);
        position += 4;
    }

    private void fixed64(int constructor, long value) {
        reserve(9);
        array[position++] = (byte) constructor;
        putInt64(value);
    }

    private void variable(int shortConstructor, int longConstructor, byte[] value) {
        reserve(5 + value.length);
        if (value.length <= SHORT_MAX) {
            array[position++] = (byte) shortConstructor;
            array[position++] = (byte) value.length;
        } else {
            array[position++] = (byte) longConstructor;
            Encoding.putInt32(array, position, value.length);
            position += 4;
        }
        System.arraycopy(value, 0, array, position, value.length);
        position += value.length;
    }

    private void putInt64(long value) {
        Encoding.putInt64(array, position, value);
        position += Long.BYTES;
    }

    private void reserve(int bytes) {
        if (array.length - position < bytes) {
            array = Arrays.copyOf(array, Math.max(array.length * 2, Math.addExact(position, bytes)));
        }
    }
}
