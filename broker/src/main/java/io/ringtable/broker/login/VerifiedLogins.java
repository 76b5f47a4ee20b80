package io.ringtable.broker.login;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Remembers for a while which passwords were right, so that a known user costs no slow hash. Holds a digest of each
 * user's last right password, never a password. A random key that exists only in this process makes the digests. The
 * digest of a password that has been changed since fits nothing. There are at most as many entries as users.
 * <p>
 * Thread: any, event loops included: a look costs a few microseconds, whether the name is known or not.
 */
final class VerifiedLogins {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;

    private record Verified(byte[] digest, long untilNanos) {}

    private final ConcurrentHashMap<String, Verified> byName = new ConcurrentHashMap<>();
    private final SecretKeySpec key;
    private final long rememberedNanos;
    private final LongSupplier nanos;

    VerifiedLogins(Duration remembered, LongSupplier nanos) {
        byte[] random = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(random);
        this.key = new SecretKeySpec(random, ALGORITHM);
        this.rememberedNanos = remembered.toNanos();
        this.nanos = nanos;
    }

    /** @param proof what a login of the user stands on now; null if there is no such user */
    boolean knows(String name, String password, String proof) {
        if (rememberedNanos == 0) {
            return false;
        }
        byte[] digest = digest(name, password, String.valueOf(proof));
        Verified verified = byName.get(name);
        return verified != null
                && proof != null
                && verified.untilNanos() - nanos.getAsLong() > 0
                && MessageDigest.isEqual(verified.digest(), digest);
    }

    /** Remembers a password that was right. @param proof what it was checked against, or what counted before that */
    void remember(String name, String password, String proof) {
        if (rememberedNanos > 0) {
            byName.put(
                    name,
                    new Verified(digest(name, password, String.valueOf(proof)), nanos.getAsLong() + rememberedNanos));
        }
    }

    private byte[] digest(String name, String password, String proof) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(name.getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0); // neither contains NUL, which separates them in SASL PLAIN
            mac.update(password.getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0);
            return mac.doFinal(proof.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("RT-4334 this Java has no " + ALGORITHM + ": use another", e);
        }
    }
}
