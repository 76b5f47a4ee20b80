package io.ringtable.broker.message;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Makes short names of long ones, such that no two names meet. Thread: any; holds no state. */
public final class Hash {
    private Hash() {}

    /** Returns the SHA-256 of the bytes: 32 bytes. */
    public static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
