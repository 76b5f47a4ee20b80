package io.ringtable.broker.message;

import java.security.SecureRandom;

/**
 * The secret of a shard by which a delivery tag that the broker has given to somebody is told from one that somebody has made up. Lies
 * in the database, where applications cannot read it; the same for every owner of the shard.
 * <p>
 * Immutable; any thread.
 */
public final class DeliveryKey {
    /** With three numbers of 8 bytes behind it, it fits into one block of SHA-256. */
    public static final int BYTES = 24;

    private final byte[] secret;

    /** @throws IllegalArgumentException if it has another length than {@value #BYTES} bytes */
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
