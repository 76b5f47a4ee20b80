package io.ringtable.broker.store.postgresql;

import java.util.Arrays;
import org.postgresql.util.PGBinaryObject;
import org.postgresql.util.PGobject;

/**
 * Writes an array parameter in PostgreSQL's binary form as its elements are added, in a buffer that later flushes use
 * again. The driver's own way through {@code Connection.createArrayOf} boxes, knows no {@code timestamptz[]} and makes
 * a new buffer every time.
 * <p>
 * Thread: that of the connection that the parameter is bound on.
 */
final class ArrayParameter extends PGobject implements PGBinaryObject {
    private static final long serialVersionUID = 1L;

    private static final int HEADER = 20; // dimensions, has nulls, element type; then size and lower bound of the one
    private static final int EMPTY_HEADER = 12; // no dimension
    private static final int NULL_LENGTH = -1;
    private static final int ROOM = 1024;

    private static final long MS_TO_2000 = 946_684_800_000L; // PostgreSQL counts microseconds from 2000-01-01
    private static final long MS_MAX = 9_224_318_015_999_999L; // 294276-12-31, the last day of a timestamptz

    private final int elementType;
    private byte[] buffer = new byte[ROOM];
    private int length;
    private int size;
    private boolean nulls;

    private ArrayParameter(String type, int elementType) {
        this.elementType = elementType;
        setType(type);
        clear();
    }

    static ArrayParameter ofShorts() {
        return new ArrayParameter("_int2", 21);
    }

    static ArrayParameter ofInts() {
        return new ArrayParameter("_int4", 23);
    }

    static ArrayParameter ofLongs() {
        return new ArrayParameter("_int8", 20);
    }

    static ArrayParameter ofInstants() {
        return new ArrayParameter("_timestamptz", 1184);
    }

    static ArrayParameter ofBytes() {
        return new ArrayParameter("_bytea", 17);
    }

    /** Empties the array for the next call. */
    void clear() {
        length = HEADER;
        size = 0;
        nulls = false;
    }

    int size() {
        return size;
    }

    void addShort(int value) {
        reserve(6);
        putInt(2);
        buffer[length++] = (byte) (value >> 8);
        buffer[length++] = (byte) value;
        size++;
    }

    void addInt(int value) {
        reserve(8);
        putInt(4);
        putInt(value);
        size++;
    }

    void addLong(long value) {
        reserve(12);
        putInt(8);
        putInt((int) (value >> 32));
        putInt((int) value);
        size++;
    }

    /** Adds an instant. @param ms since the epoch; what lies beyond the last day of the type becomes that day */
    void addInstant(long ms) {
        addLong((Math.min(ms, MS_MAX) - MS_TO_2000) * 1000);
    }

    /** Adds an instant or null. @param ms since the epoch; 0 = none */
    void addInstantOrNull(long ms) {
        if (ms == 0) {
            addNull();
        } else {
            addInstant(ms);
        }
    }

    void addBytes(byte[] value) {
        reserve(4 + value.length);
        putInt(value.length);
        System.arraycopy(value, 0, buffer, length, value.length);
        length += value.length;
        size++;
    }

    void addNull() {
        reserve(4);
        putInt(NULL_LENGTH);
        nulls = true;
        size++;
    }

    @Override
    public int lengthInBytes() {
        return size == 0 ? EMPTY_HEADER : length;
    }

    @Override
    public void toBytes(byte[] bytes, int offset) {
        int end = length;
        length = 0;
        putInt(size == 0 ? 0 : 1);
        putInt(nulls ? 1 : 0);
        putInt(elementType);
        putInt(size);
        putInt(1);
        length = end;
        System.arraycopy(buffer, 0, bytes, offset, lengthInBytes());
    }

    @Override
    public void setByteValue(byte[] value, int offset) {
        throw new IllegalStateException("an array parameter is only sent");
    }

    private void putInt(int value) {
        buffer[length] = (byte) (value >> 24);
        buffer[length + 1] = (byte) (value >> 16);
        buffer[length + 2] = (byte) (value >> 8);
        buffer[length + 3] = (byte) value;
        length += 4;
    }

    private void reserve(int bytes) {
        if (buffer.length - length < bytes) {
            buffer = Arrays.copyOf(buffer, Math.max(Math.addExact(length, bytes), (int)
                    Math.min(Integer.MAX_VALUE - 8, 2L * buffer.length)));
        }
    }
}
