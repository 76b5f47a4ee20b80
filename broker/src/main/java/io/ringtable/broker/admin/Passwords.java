package io.ringtable.broker.admin;

import io.ringtable.broker.login.scram.ScramVerifiers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.DelegatingPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.crypto.password.Pbkdf2PasswordEncoder;

/**
 * Knows in which forms a password is stored: {@code {bcrypt}} or {@code {pbkdf2}} and a hash, or a verifier for SCRAM.
 * For trials there is {@code {noop}} and plain text, for a user with a certificate alone {@code {external}}.
 * <p>
 * Thread: any; a check of a password may be a slow hash.
 */
public final class Passwords {
    static final String PLAIN = "{noop}";
    static final String EXTERNAL = "{external}";

    /** Bounds what bcrypt looks at, in bytes. */
    private static final int BCRYPT_BYTES_MAX = 72;

    private static final Pattern HASH = Pattern.compile(
            "\\{bcrypt}\\$2[aby]?\\$(0[4-9]|[12]\\d|3[01])\\$[./0-9A-Za-z]{53}|\\{pbkdf2}[0-9a-fA-F]{96}");

    /** Says what is wrong with a stored password. @param text follows whose password it is */
    public record Fault(String code, String text) {}

    private Passwords() {}

    /** Returns what is wrong with a stored password; null if nothing is. */
    public static Fault fault(String stored) {
        if (ScramVerifiers.isVerifier(stored)) {
            String fault = ScramVerifiers.fault(stored);
            return fault == null
                    ? null
                    : new Fault(
                            "RT-1058", " is no verifier for SCRAM: " + fault + "; bin/ringtable password prints one");
        }
        if (stored.startsWith("{bcrypt}") || stored.startsWith("{pbkdf2}")) {
            return HASH.matcher(stored).matches()
                    ? null
                    : new Fault(
                            "RT-1050",
                            " does not fit its prefix: write {bcrypt} and 60 characters that begin with $2a$, $2b$"
                                    + " or $2y$, or {pbkdf2} and 96 hexadecimal digits");
        }
        if (isPlain(stored) || stored.equals(EXTERNAL)) {
            return null;
        }
        return new Fault(
                "RT-1030",
                " has no known prefix: write what bin/ringtable password prints ({bcrypt}$2a$10$...)."
                        + " For a user with a certificate alone write {external}, for a trial {noop} and plain"
                        + " text");
    }

    /** Tells whether a stored password is plain text, for trials. */
    public static boolean isPlain(String stored) {
        return stored.startsWith(PLAIN);
    }

    /**
     * Makes of a password what is stored: a slow computation. The form is one that clients of the other users choose
     * anyway. A broker offers the same mechanisms to all users, and a client takes the best.
     *
     * @param password not empty
     * @param mechanisms those of SCRAM that other users have verifiers for
     * @param areOthersPlain whether other users have passwords, and no verifiers
     */
    public static String hash(String password, Set<String> mechanisms, boolean areOthersPlain) {
        boolean fitsBcrypt = password.getBytes(StandardCharsets.UTF_8).length <= BCRYPT_BYTES_MAX;
        if (mechanisms.isEmpty() && areOthersPlain && fitsBcrypt) {
            return "{bcrypt}" + new BCryptPasswordEncoder().encode(password);
        }
        return ScramVerifiers.derive(password, mechanisms);
    }

    /** Returns what compares a password with a stored one that has no {@link #fault}. */
    static PasswordEncoder encoder() {
        return new DelegatingPasswordEncoder(
                "bcrypt",
                Map.of(
                        "bcrypt", new BCryptPasswordEncoder(),
                        "pbkdf2", Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_8(),
                        "scram-sha-256", new Verifier("{scram-sha-256}"),
                        "scram-sha-512", new Verifier("{scram-sha-512}"),
                        "noop", new PlainText()));
    }

    /** Compares with what is stored for SCRAM. */
    private record Verifier(String prefix) implements PasswordEncoder {
        @Override
        public String encode(CharSequence raw) {
            throw new IllegalStateException("verifiers are made by bin/ringtable password");
        }

        @Override
        public boolean matches(CharSequence raw, String stored) {
            return ScramVerifiers.matches(prefix + stored, raw.toString());
        }
    }

    /** Compares in constant time. Spring deprecates its own class for plain text as a warning; we warn at the start. */
    private static final class PlainText implements PasswordEncoder {
        @Override
        public String encode(CharSequence raw) {
            return raw.toString();
        }

        @Override
        public boolean matches(CharSequence raw, String stored) {
            return MessageDigest.isEqual(
                    raw.toString().getBytes(StandardCharsets.UTF_8), stored.getBytes(StandardCharsets.UTF_8));
        }
    }
}
