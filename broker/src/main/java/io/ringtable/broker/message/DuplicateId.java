package io.ringtable.broker.message;

import java.util.Arrays;

/**
 * Identifies a message to the broker, so that it is stored once however often it is sent. Ids are equal if their bytes
 * are. The bytes of a string are its UTF-8.
 * <p>
 * Immutable.
 */
public final class DuplicateId {
    /** Limits the length of an id, in bytes. */
    public static final int BYTES_MAX = 400;

    /** Limits the length of a message id, in bytes. */
    public static final int MESSAGE_ID_BYTES_MAX = BYTES_MAX - 2;

    /** Begins ids made from message ids: no UTF-8 begins so, and no application makes such binary ids by chance. */
    private static final byte MESSAGE_ID = (byte) 0xff;

    private final byte[] bytes;
    private final int hash;

    /** Makes an id. @param bytes 1 to {@value #BYTES_MAX}; kept, never changed */
    public DuplicateId(byte[] bytes) {
        if (bytes.length < 1 || bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("a duplicate id of " + bytes.length + " bytes");
        }
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    /**
     * Makes an id from a message's own id, by policy of its address. It differs from ids of another type, and from
     * duplicate ids that publishers gave.
     *
     * @param type stands for the type of the value
     * @param value 1 to {@value #MESSAGE_ID_BYTES_MAX} bytes
     */
    public static DuplicateId ofMessageId(char type, byte[] value) {
        byte[] id = new byte[value.length + 2];
        id[0] = MESSAGE_ID;
        id[1] = (byte) type;
        System.arraycopy(value, 0, id, 2, value.length);
        return new DuplicateId(id);
    }

    /** Returns the bytes: shared, never changed. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DuplicateId that && that.hash == hash && Arrays.equals(that.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
