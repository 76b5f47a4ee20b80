package io.ringtable.broker.login.scram;

import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Holds the verifiers of all users. Passwords that are stored in plain text get theirs here, once. A name without a
 * verifier gets a decoy that always is the same, so that nobody can tell it from that of a user.
 * <p>
 * Thread: any; immutable.
 */
public final class ScramVerifiers {
    /** Holds the verifiers where there are no users. */
    public static final ScramVerifiers NONE = new ScramVerifiers(Map.of(), Map.of());

    private static final int SALT_BYTES = 16;
    private static final int SECRET_BYTES = 64;
    /** Is what RFC 7677 recommends at least. */
    private static final int ITERATIONS = 15_000;

    /** Holds verifiers by user, in the order of the names. */
    private final Map<ScramHash, NavigableMap<String, ScramVerifier>> byHash = new EnumMap<>(ScramHash.class);
    /** Holds the same for decoys to choose from. */
    private final Map<ScramHash, List<ScramVerifier>> shown = new EnumMap<>(ScramHash.class);
    /** Holds those that were added, by their notation: it takes long to read. */
    private final Map<String, ScramVerifier> parsed = new HashMap<>();
    /**
     * Makes salts that stay the same as long as the configured users do, and that nobody outside can compute. Without
     * configured users it lasts as long as the process.
     */
    private final byte[] secret;

    /**
     * Reads and derives the verifiers.
     *
     * @param stored verifiers by user, in the notation of {@link ScramVerifier}
     * @param plain passwords by user, in plain text; an empty one gets no verifier
     */
    public ScramVerifiers(Map<String, String> stored, Map<String, String> plain) {
        secret = stored.isEmpty() && plain.isEmpty()
                ? random()
                : ScramHash.SHA_512.hash(
                        (new TreeMap<>(stored) + "\0" + new TreeMap<>(plain)).getBytes(StandardCharsets.UTF_8));
        stored.forEach((name, notation) -> add(name, ScramVerifier.parse(notation)));
        for (ScramHash hash : ScramHash.values()) {
            plain.forEach((name, password) -> {
                if (!password.isEmpty()) {
                    byte[] salt = salt(hash, name, SALT_BYTES);
                    add(name, ScramVerifier.of(hash, password, salt, ScramVerifier.ITERATIONS_MIN));
                }
            });
        }
        show();
    }

    private ScramVerifiers(ScramVerifiers these, Map<String, String> more, ScramVerifiers earlier) {
        secret = these.secret;
        these.byHash.forEach((hash, byName) -> byHash.put(hash, new TreeMap<>(byName)));
        more.forEach((name, notation) -> {
            ScramVerifier known = earlier.parsed.get(notation);
            ScramVerifier verifier = known == null ? ScramVerifier.parse(notation) : known;
            parsed.put(notation, verifier);
            add(name, verifier);
        });
        show();
    }

    private static byte[] random() {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return secret;
    }

    private void show() {
        byHash.forEach((hash, byName) -> shown.put(hash, List.copyOf(byName.values())));
    }

    /**
     * Returns these verifiers and more. Decoys stay the same where they can: they are made with the same secret.
     *
     * @param stored verifiers by user, in the notation of {@link ScramVerifier}
     * @param earlier result of an earlier call, which has read most of them
     */
    public ScramVerifiers with(Map<String, String> stored, ScramVerifiers earlier) {
        return stored.isEmpty() ? this : new ScramVerifiers(this, stored, earlier);
    }

    private void add(String name, ScramVerifier verifier) {
        byHash.computeIfAbsent(verifier.hash(), any -> new TreeMap<>()).put(name, verifier);
    }

    /**
     * Derives what is stored of a password: a slow computation.
     *
     * @param password not empty
     * @param mechanisms that other users have verifiers for; the better one counts
     */
    public static String derive(String password, Set<String> mechanisms) {
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        ScramHash hash = mechanisms.contains(ScramHash.SHA_512.mechanism()) ? ScramHash.SHA_512 : ScramHash.SHA_256;
        return ScramVerifier.of(hash, password, salt, ITERATIONS).notation();
    }

    /** Tells whether a stored password has the prefix of a verifier. */
    public static boolean isVerifier(String stored) {
        return ScramHash.ofPrefix(stored).isPresent();
    }

    /** Returns what is wrong with a stored verifier; null if nothing is. */
    public static String fault(String stored) {
        try {
            ScramVerifier.parse(stored);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    /** Tells whether a password fits a stored verifier: a slow hash. */
    public static boolean matches(String stored, String password) {
        return ScramVerifier.parse(stored).matches(password);
    }

    /** Returns the hash functions that at least one user has a verifier for. */
    public Set<ScramHash> hashes() {
        return byHash.keySet();
    }

    /** Returns the names of the users who have a verifier, by the mechanism that it is for. */
    public Map<String, Set<String>> mechanisms() {
        Map<String, Set<String>> names = new TreeMap<>();
        byHash.forEach((hash, byName) -> names.put(hash.mechanism(), byName.keySet()));
        return names;
    }

    /** Returns the user's verifier, or a decoy. @param hash one of {@link #hashes} */
    ScramVerifier of(ScramHash hash, String name) {
        ScramVerifier decoy = decoy(hash, name); // made for users too: they cost the same
        return byHash.get(hash).getOrDefault(name, decoy);
    }

    /** Shows the iterations and the length of salt of a user, the same one for the same name. */
    private ScramVerifier decoy(ScramHash hash, String name) {
        List<ScramVerifier> all = shown.get(hash);
        ScramVerifier like = all.get(Math.floorMod(Arrays.hashCode(seed(hash, "which", name)), all.size()));
        return ScramVerifier.decoy(
                hash,
                salt(hash, name, like.salt().length),
                like.iterations(),
                hash.hash(seed(hash, "stored key", name)),
                hash.hash(seed(hash, "server key", name)));
    }

    private byte[] salt(ScramHash hash, String name, int bytes) {
        return Arrays.copyOf(seed(hash, "salt", name), bytes);
    }

    private byte[] seed(ScramHash hash, String purpose, String name) {
        String input = purpose + "\0" + hash + "\0" + name;
        return ScramHash.SHA_512.hmac(secret, input.getBytes(StandardCharsets.UTF_8));
    }
}
