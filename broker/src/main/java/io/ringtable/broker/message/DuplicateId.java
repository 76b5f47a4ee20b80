package io.ringtable.broker.message;

import java.util.Arrays;

/**
 * What a publisher gives a message so that it is stored once however often it is sent: two are equal if their bytes are. A string is its
 * bytes in UTF-8.
 * <p>
 * Immutable.
 */
public final class DuplicateId {
    /** Longest one, in bytes. */
    public static final int BYTES_MAX = 400;

    /** Longest message id, in bytes. */
    public static final int MESSAGE_ID_BYTES_MAX = BYTES_MAX - 2;

    /** Begins those that were message ids: no string in UTF-8 does, and no application gives binary ones that are so made by chance. */
    private static final byte MESSAGE_ID = (byte) 0xff;

    private final byte[] bytes;
    private final int hash;

    /** @param bytes 1 to {@value #BYTES_MAX}; kept, never changed */
    public DuplicateId(byte[] bytes) {
        if (bytes.length < 1 || bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException("a duplicate id of " + bytes.length + " bytes");
        }
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    /**
     * A message's own id, by policy of its address: equal to no other type's, nor to an id that was given beside it.
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

    /** Shared, never changed. */
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
