package io.ringtable.wire;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Names the hash functions of SCRAM that Ringtable speaks (RFC 5802, RFC 7677), and computes with them.
 * <p>
 * Thread: any.
 */
public enum ScramHash {
    SHA_256("SHA-256", "SHA256", 32),
    SHA_512("SHA-512", "SHA512", 64);

    private final String digest;
    private final String shortName;
    private final int bytes;

    ScramHash(String digest, String shortName, int bytes) {
        this.digest = digest;
        this.shortName = shortName;
        this.bytes = bytes;
    }

    /** Returns the name of the SASL mechanism, such as {@code SCRAM-SHA-256}. */
    public String mechanism() {
        return "SCRAM-" + digest;
    }

    /** Returns what verifiers in a configuration begin with, such as <code>{scram-sha-256}</code>. */
    public String prefix() {
        return "{scram-" + digest.toLowerCase(Locale.ROOT) + "}";
    }

    /** Returns the length of a hash, in bytes. */
    public int bytes() {
        return bytes;
    }

    /** Finds the hash function whose prefix a stored password has. */
    public static Optional<ScramHash> ofPrefix(String stored) {
        return Arrays.stream(values())
                .filter(hash -> stored.startsWith(hash.prefix()))
                .findFirst();
    }

    /** Finds the hash function of a SASL mechanism. @throws IllegalArgumentException if it is none of SCRAM's here */
    public static ScramHash ofMechanism(String mechanism) {
        return Arrays.stream(values())
                .filter(hash -> hash.mechanism().equals(mechanism))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(mechanism));
    }

    /** Returns {@code H(input)}. */
    public byte[] hash(byte[] input) {
        try {
            return MessageDigest.getInstance(digest).digest(input);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    /** Returns {@code HMAC(key, input)}. @param key not empty */
    public byte[] hmac(byte[] key, byte[] input) {
        String algorithm = "Hmac" + shortName;
        try {
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key, algorithm));
            return mac.doFinal(input);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    /** Returns {@code Hi(password, salt, iterations)}, the slow part. */
    byte[] salted(char[] password, byte[] salt, int iterations) {
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmac" + shortName)
                    .generateSecret(new PBEKeySpec(password, salt, iterations, bytes * Byte.SIZE))
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    private IllegalStateException missing(GeneralSecurityException cause) {
        return new IllegalStateException("RT-4337 this Java does not compute " + mechanism() + ": use another", cause);
    }
}
