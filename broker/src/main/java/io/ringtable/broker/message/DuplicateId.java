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
