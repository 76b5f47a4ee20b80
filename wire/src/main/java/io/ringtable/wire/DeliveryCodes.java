package io.ringtable.wire;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * Makes the codes of delivery tags: 60 bits of SHA-256 over the shard's key, epoch, subscription and sequence (ADR 15).
 * {@code ringtable.settle} makes them again. All input has one length, one block of the hash, and a code leaves out 196
 * bits of the result. So no code can be derived from another one.
 * <p>
 * Thread: one at a time; one instance per connection.
 */
public final class DeliveryCodes {
    private static final long BITS_60 = (1L << 60) - 1;

    private final MessageDigest sha256;
    private final int keyBytes;
    private final byte[] input; // the key and three numbers
    private final byte[] output = new byte[32];

    /** @param key the key of the shard, which is copied */
    public DeliveryCodes(byte[] key) {
        keyBytes = key.length;
        input = Arrays.copyOf(key, keyBytes + 3 * Long.BYTES);
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /** Returns the code, 0 to 2^60 - 1. */
    public long of(long epoch, long subscription, long sequence) {
        Encoding.putInt64(input, keyBytes, epoch);
        Encoding.putInt64(input, keyBytes + Long.BYTES, subscription);
        Encoding.putInt64(input, keyBytes + 2 * Long.BYTES, sequence);
        sha256.update(input);
        try {
            sha256.digest(output, 0, output.length);
        } catch (DigestException e) {
            throw new AssertionError("the result has 32 bytes", e);
        }
        return Encoding.int64(output, 0) & BITS_60;
    }
}
