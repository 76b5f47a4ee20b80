package io.ringtable.broker.message;

import java.security.SecureRandom;

/**
 * Holds the secret of a shard, by which the broker tells its own delivery tags from invented ones. The secret lies in
 * the database, where applications cannot read it, and is the same for every owner of the shard.
 * <p>
 * Immutable; any thread.
 */
public final class DeliveryKey {
    /** Sets the length of the secret: with three numbers of 8 bytes behind it, it fits into one block of SHA-256. */
    public static final int BYTES = 24;

    private final byte[] secret;

    /** Makes a key. @throws IllegalArgumentException if the secret does not have {@value #BYTES} bytes */
    public DeliveryKey(byte[] secret) {
        if (secret.length != BYTES) {
            throw new IllegalArgumentException("a delivery key has " + BYTES + " bytes, not " + secret.length);
        }
        this.secret = secret.clone();
    }

    public static DeliveryKey random() {
        byte[] secret = new byte[BYTES];
        new SecureRandom().nextBytes(secret);
        return new DeliveryKey(secret);
    }

    public byte[] secret() {
        return secret.clone();
    }

    @Override
    public String toString() {
        return "DeliveryKey[not shown]";
    }
}
