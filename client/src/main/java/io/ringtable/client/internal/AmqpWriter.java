package io.ringtable.client.internal;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;

/** Writes AMQP 1.0 encodings (section 1.6) into an array that grows; for one thread, reused from message to message. */
final class AmqpWriter {

    private static final int SHORT_MAX = 255;
    private static final int KEPT_BYTES_MAX = 1024 * 1024;

    private byte[] array = new byte[1024];
    private int position;

    /** Starts again from the beginning. */
    void reset() {
        position = 0;
        if (array.length > KEPT_BYTES_MAX) {
            array = new byte[1024];
        }
    }

    int position() {
        return position;
    }

    byte[] toBytes() {
        return Arrays.copyOf(array, position);
    }

    byte[] array() {
        return array;
    }

    void section(int code) {
        reserve(3);
        array[position++] = 0x00;
        array[position++] = 0x53;
        array[position++] = (byte) code;
    }

    /** Begins a list32 or map32; {@link #endCompound} fills in what is not known yet. */
    int beginCompound(int constructor) {
        reserve(9);
        array[position++] = (byte) constructor;
        int start = position;
        position += 8;
        return start;
    }

    void endCompound(int start, int count) {
        setInt(start, position - start - 4);
        setInt(start + 4, count);
    }

    /** Begins a list8, whose content is known to stay below 255 bytes; {@link #endShortList} fills in the rest. */
    int beginShortList() {
        reserve(3);
        array[position++] = (byte) 0xc0;
        int start = position;
        position += 2;
        return start;
    }

    void endShortList(int start, int count) {
        array[start] = (byte) (position - start - 1);
        array[start + 1] = (byte) count;
    }

    void writeNull() {
        writeByte(0x40);
    }

    void writeBoolean(boolean value) {
        writeByte(value ? 0x41 : 0x42);
    }

    void writeUbyte(int value) {
        reserve(2);
        array[position++] = 0x50;
        array[position++] = (byte) value;
    }

    void writeUint(long value) {
        reserve(5);
        array[position++] = 0x70;
        putInt((int) value);
    }

    void writeString(String value) {
        variable(0xa1, 0xb1, value.getBytes(StandardCharsets.UTF_8));
    }

    void writeSymbol(String value) {
        variable(0xa3, 0xb3, value.getBytes(StandardCharsets.US_ASCII));
    }

    void writeBinary(byte[] value) {
        variable(0xa0, 0xb0, value);
    }

    /** Head of a binary of this length, whose bytes follow by {@link #writeRaw}. */
    void writeBinaryHead(int length) {
        reserve(5);
        if (length <= SHORT_MAX) {
            array[position++] = (byte) 0xa0;
            array[position++] = (byte) length;
        } else {
            array[position++] = (byte) 0xb0;
            putInt(length);
        }
    }

    void writeRaw(byte[] bytes) {
        reserve(bytes.length);
        System.arraycopy(bytes, 0, array, position, bytes.length);
        position += bytes.length;
    }

    /** @return false if values of this type cannot be written */
    boolean writeValue(Object value) {
        if (value == null) {
            writeNull();
        } else if (value instanceof String text) {
            writeString(text);
        } else if (value instanceof Integer number) {
            fixed32(0x71, number);
        } else if (value instanceof Long number) {
            fixed64(0x81, number);
        } else if (value instanceof Boolean flag) {
            writeBoolean(flag);
        } else if (value instanceof Double number) {
            fixed64(0x82, Double.doubleToLongBits(number));
        } else if (value instanceof Float number) {
            fixed32(0x72, Float.floatToIntBits(number));
        } else {
            return writeRareValue(value);
        }
        return true;
    }

    private boolean writeRareValue(Object value) {
        if (value instanceof Short number) {
            reserve(3);
            array[position++] = 0x61;
            array[position++] = (byte) (number >> 8);
            array[position++] = (byte) (short) number;
        } else if (value instanceof Byte number) {
            reserve(2);
            array[position++] = 0x51;
            array[position++] = number;
        } else if (value instanceof Character character) {
            fixed32(0x73, character);
        } else if (value instanceof UUID id) {
            reserve(17);
            array[position++] = (byte) 0x98;
            putLong(id.getMostSignificantBits());
            putLong(id.getLeastSignificantBits());
        } else if (value instanceof Instant instant) {
            fixed64(0x83, instant.toEpochMilli());
        } else if (value instanceof byte[] bytes) {
            writeBinary(bytes);
        } else {
            return false;
        }
        return true;
    }

    private void writeByte(int value) {
        reserve(1);
        array[position++] = (byte) value;
    }

    private void fixed32(int constructor, int value) {
        reserve(5);
        array[position++] = (byte) constructor;
        putInt(value);
    }

    private void fixed64(int constructor, long value) {
        reserve(9);
        array[position++] = (byte) constructor;
        putLong(value);
    }

    private void variable(int shortConstructor, int longConstructor, byte[] value) {
        reserve(5 + value.length);
        if (value.length <= SHORT_MAX) {
            array[position++] = (byte) shortConstructor;
            array[position++] = (byte) value.length;
        } else {
            array[position++] = (byte) longConstructor;
            putInt(value.length);
        }
        System.arraycopy(value, 0, array, position, value.length);
        position += value.length;
    }

    private void putInt(int value) {
        setInt(position, value);
        position += 4;
    }

    private void putLong(long value) {
        putInt((int) (value >>> 32));
        putInt((int) value);
    }

    private void setInt(int at, int value) {
        array[at] = (byte) (value >>> 24);
        array[at + 1] = (byte) (value >>> 16);
        array[at + 2] = (byte) (value >>> 8);
        array[at + 3] = (byte) value;
    }

    private void reserve(int bytes) {
        if (array.length - position < bytes) {
            array = Arrays.copyOf(array, Math.max(array.length * 2, Math.addExact(position, bytes)));
        }
    }
}
