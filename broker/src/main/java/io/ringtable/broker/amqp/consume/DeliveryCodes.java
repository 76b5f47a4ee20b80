package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.amqp.encoding.Encoding;
import io.ringtable.broker.message.DeliveryKey;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Makes the codes of delivery tags: 60 bits of SHA-256 over the shard's key, epoch, subscription and sequence, as
 * {@code ringtable.settle} makes them again (ADR 15). All input has one length, one block of the hash, and 196 bits of the result are
 * left out: so nobody makes a code from another one.
 * <p>
 * Thread: one at a time; one instance per connection.
 */
final class DeliveryCodes {
    private static final long BITS_60 = (1L << 60) - 1;
    private static final int EPOCH = DeliveryKey.BYTES;
    private static final int SUBSCRIPTION = EPOCH + Long.BYTES;
    private static final int SEQUENCE = SUBSCRIPTION + Long.BYTES;

    private final MessageDigest sha256;
    private final byte[] input = new byte[SEQUENCE + Long.BYTES];
    private final byte[] output = new byte[32];

    DeliveryCodes(DeliveryKey key) {
        System.arraycopy(key.secret(), 0, input, 0, DeliveryKey.BYTES);
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has it", e);
        }
    }

    /** 0 to 2^60 - 1. */
    public long of(long epoch, long subscription, long sequence) {
        putInt64(EPOCH, epoch);
        putInt64(SUBSCRIPTION, subscription);
        putInt64(SEQUENCE, sequence);
        sha256.update(input);
        try {
            sha256.digest(output, 0, output.length);
        } catch (DigestException e) {
            throw new AssertionError("the result has 32 bytes", e);
        }
        return Encoding.int64(output, 0) & BITS_60;
    }

    private void putInt64(int position, long value) {
        Encoding.putInt32(input, position, (int) (value >> 32));
        Encoding.putInt32(input, position + 4, (int) value);
    }
}
