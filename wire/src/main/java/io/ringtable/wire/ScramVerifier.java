package io.ringtable.wire;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.text.Normalizer;
import java.util.Base64;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Holds what a broker stores of a password for SCRAM (RFC 5802 section 3). A verifier is enough to check a client's
 * proof and to answer it, and not enough to log in with. Its notation is that of PostgreSQL behind a prefix of ours:
 * <code>{scram-sha-256}ITERATIONS:SALT$STOREDKEY:SERVERKEY</code>, the last three in Base64.
 * <p>
 * Thread: any; immutable.
 */
public final class ScramVerifier {
    /** Allows no fewer iterations: the least that RFC 7677 allows. */
    public static final int ITERATIONS_MIN = 4_096;
    /** Allows no more iterations: clients compute them at every login, about a second. */
    public static final int ITERATIONS_MAX = 1_000_000;

    public static final int SALT_BYTES_MIN = 8;
    public static final int SALT_BYTES_MAX = 64;

    private static final Pattern NOTATION =
            Pattern.compile("(\\d{1,7}):([A-Za-z0-9+/=]+)\\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)");
    private static final byte[] CLIENT_KEY = "Client Key".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SERVER_KEY = "Server Key".getBytes(StandardCharsets.US_ASCII);

    /** RFC 4013 section 2.1 with RFC 3454 tables C.1.2 and B.1: characters that become a blank, and that vanish. */
    private static final Pattern BLANKS = Pattern.compile("[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]");

    private static final Pattern NOTHING =
            Pattern.compile("[\u00ad\u034f\u1806\u180b-\u180d\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]");

    private final ScramHash hash;
    private final int iterations;
    private final byte[] salt;
    private final byte[] storedKey;
    private final byte[] serverKey;

    private ScramVerifier(ScramHash hash, int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
        this.hash = Objects.requireNonNull(hash, "hash");
        this.iterations = requireWithin("iterations", iterations, ITERATIONS_MIN, ITERATIONS_MAX);
        requireWithin("bytes of salt", salt.length, SALT_BYTES_MIN, SALT_BYTES_MAX);
        requireWithin("bytes of StoredKey", storedKey.length, hash.bytes(), hash.bytes());
        requireWithin("bytes of ServerKey", serverKey.length, hash.bytes(), hash.bytes());
        this.salt = salt.clone();
        this.storedKey = storedKey.clone();
        this.serverKey = serverKey.clone();
    }

    private static int requireWithin(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    min == max
                            ? value + " " + what + ", not " + min
                            : value + " " + what + ", not between " + min + " and " + max);
        }
        return value;
    }

    /**
     * Derives the verifier of a password: a slow computation, milliseconds for each 4,096 iterations.
     *
     * @param password not empty
     * @param salt random, of {@value #SALT_BYTES_MIN} to {@value #SALT_BYTES_MAX} bytes
     * @param iterations {@value #ITERATIONS_MIN} to {@value #ITERATIONS_MAX}
     * @throws IllegalArgumentException if one of them is not so
     */
    public static ScramVerifier of(ScramHash hash, String password, byte[] salt, int iterations) {
        String prepared = prepared(password);
        if (prepared.isEmpty()) {
            throw new IllegalArgumentException("an empty password");
        }
        requireWithin("iterations", iterations, ITERATIONS_MIN, ITERATIONS_MAX);
        byte[] salted = hash.salted(prepared.toCharArray(), salt, iterations);
        byte[] storedKey = hash.hash(hash.hmac(salted, CLIENT_KEY));
        return new ScramVerifier(hash, iterations, salt, storedKey, hash.hmac(salted, SERVER_KEY));
    }

    /**
     * Makes a verifier that no password fits, for a user who does not exist.
     *
     * @param storedKey a hash that nobody can guess
     * @param serverKey another one
     */
    public static ScramVerifier decoy(ScramHash hash, byte[] salt, int iterations, byte[] storedKey, byte[] serverKey) {
        return new ScramVerifier(hash, iterations, salt, storedKey, serverKey);
    }

    /**
     * Reads a verifier in the notation of configurations.
     *
     * @throws IllegalArgumentException if it is none; says what is wrong, and shows nothing of the verifier
     */
    public static ScramVerifier parse(String notation) {
        ScramHash hash = ScramHash.ofPrefix(notation).orElseThrow(() -> new IllegalArgumentException("no prefix"));
        Matcher parts = NOTATION.matcher(notation.substring(hash.prefix().length()));
        if (!parts.matches()) {
            throw new IllegalArgumentException("not ITERATIONS:SALT$STOREDKEY:SERVERKEY in Base64");
        }
        return new ScramVerifier(
                hash,
                Integer.parseInt(parts.group(1)),
                decode("salt", parts.group(2)),
                decode("StoredKey", parts.group(3)),
                decode("ServerKey", parts.group(4)));
    }

    private static byte[] decode(String what, String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the " + what + " is not Base64", e);
        }
    }

    /**
     * Prepares a password as SASLprep does (RFC 4013), so that it fits however a keyboard composes its letters. Code
     * points that SASLprep forbids stay.
     */
    private static String prepared(String password) {
        String blanks = BLANKS.matcher(password).replaceAll(" ");
        return Normalizer.normalize(NOTHING.matcher(blanks).replaceAll(""), Normalizer.Form.NFKC);
    }

    public ScramHash hash() {
        return hash;
    }

    public int iterations() {
        return iterations;
    }

    public byte[] salt() {
        return salt.clone();
    }

    /** Returns the verifier in the notation of configurations. */
    public String notation() {
        Base64.Encoder base64 = Base64.getEncoder();
        return hash.prefix() + iterations + ":" + base64.encodeToString(salt) + "$" + base64.encodeToString(storedKey)
                + ":" + base64.encodeToString(serverKey);
    }

    /** Tells whether the password is the one that this was made of: as slow as {@link #of}. */
    public boolean matches(String password) {
        return !prepared(password).isEmpty()
                && MessageDigest.isEqual(of(hash, password, salt, iterations).storedKey, storedKey);
    }

    /**
     * Tells whether a client's proof shows that it knows the password: two hashes (RFC 5802 section 3).
     *
     * @param authMessage the exchange so far, as both sides have seen it
     */
    public boolean accepts(byte[] proof, byte[] authMessage) {
        if (proof.length != hash.bytes()) {
            return false;
        }
        byte[] clientKey = hash.hmac(storedKey, authMessage); // the client's signature
        for (int i = 0; i < clientKey.length; i++) {
            clientKey[i] ^= proof[i];
        }
        return MessageDigest.isEqual(hash.hash(clientKey), storedKey);
    }

    /** Returns the signature by which the server shows that it knows the verifier. */
    public byte[] serverSignature(byte[] authMessage) {
        return hash.hmac(serverKey, authMessage);
    }

    /** Leaves out all that is secret. */
    @Override
    public String toString() {
        return "verifier for " + hash.mechanism() + " of " + iterations + " iterations";
    }
}
