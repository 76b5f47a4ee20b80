package io.ringtable.broker.admin;

import io.ringtable.broker.amqp.login.Authenticator;
import io.ringtable.broker.amqp.login.scram.ScramVerifiers;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.SecurityProperties;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.DelegatingPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.crypto.password.Pbkdf2PasswordEncoder;

/**
 * Checks logins against the configured users. A password is a hash with its prefix, {@code {bcrypt}} or
 * {@code {pbkdf2}}, or a verifier for SCRAM. Plain text with the prefix {@code {noop}} is for trials. A user with
 * {@code {external}} has no password, and logs in with a certificate.
 * <p>
 * Thread: any. An unknown user costs as much time as a known one: the broker compares the password with that of a
 * configured user. One name always meets the same user, whatever hash and cost that user has.
 */
public final class Users implements Authenticator {
    private static final Logger LOG = LoggerFactory.getLogger(Users.class);
    private static final String PLAIN = "{noop}";
    private static final String EXTERNAL = "{external}";

    private static final Pattern HASH = Pattern.compile(
            "\\{bcrypt}\\$2[aby]?\\$(0[4-9]|[12]\\d|3[01])\\$[./0-9A-Za-z]{53}|\\{pbkdf2}[0-9a-fA-F]{96}");

    private final Map<String, String> passwords = new LinkedHashMap<>(); // of those who have one
    private final Map<String, Set<String>> groups = new HashMap<>(); // of all
    private final List<String> stored; // in the order of the configuration
    private final PasswordEncoder encoder;
    private final ScramVerifiers scram;

    /** Reads the users. @throws ConfigurationRefused if two users have one name, or a password is none of the known */
    public Users(SecurityProperties properties) {
        encoder = new DelegatingPasswordEncoder(
                "bcrypt",
                Map.of(
                        "bcrypt", new BCryptPasswordEncoder(),
                        "pbkdf2", Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_8(),
                        "scram-sha-256", new Verifier("{scram-sha-256}"),
                        "scram-sha-512", new Verifier("{scram-sha-512}"),
                        "noop", new PlainText()));
        for (int i = 0; i < properties.users().size(); i++) {
            add(i, properties.users().get(i));
        }
        stored = List.copyOf(passwords.values());
        scram = scramOf(passwords);
        warnOfMixture();
    }

    private void add(int position, SecurityProperties.User user) {
        String property = "ringtable.security.users[" + position + "]";
        check(property, user);
        if (groups.putIfAbsent(user.name(), user.groups()) != null) {
            throw new ConfigurationRefused(
                    "RT-1032", property + ".name='" + user.name() + "' occurs twice: remove one of the two");
        }
        if (!user.password().equals(EXTERNAL)) {
            passwords.put(user.name(), user.password());
        }
    }

    private static void check(String property, SecurityProperties.User user) {
        String password = user.password();
        String whose = property + ".password of user '" + user.name() + "'";
        if (ScramVerifiers.isVerifier(password)) {
            String fault = ScramVerifiers.fault(password);
            if (fault != null) {
                throw new ConfigurationRefused(
                        "RT-1058",
                        whose + " is no verifier for SCRAM: " + fault + "; bin/ringtable password prints one");
            }
        } else if (password.startsWith("{bcrypt}") || password.startsWith("{pbkdf2}")) {
            if (!HASH.matcher(password).matches()) {
                throw new ConfigurationRefused(
                        "RT-1050",
                        whose + " does not fit its prefix: write {bcrypt} and 60 characters that begin with $2a$, $2b$"
                                + " or $2y$, or {pbkdf2} and 96 hexadecimal digits");
            }
        } else if (password.startsWith(PLAIN)) {
            LOG.warn("RT-1031 {} is plain text: hash it before others use this broker", whose);
        } else if (!password.equals(EXTERNAL)) {
            throw new ConfigurationRefused(
                    "RT-1030",
                    whose + " has no known prefix: write what bin/ringtable password prints, such as"
                            + " {bcrypt}$2a$10$..., {external} for a user with a certificate alone, or {noop} and plain"
                            + " text for a trial");
        }
    }

    private static ScramVerifiers scramOf(Map<String, String> passwords) {
        Map<String, String> verifiers = new HashMap<>();
        Map<String, String> plain = new HashMap<>();
        passwords.forEach((name, password) -> {
            if (ScramVerifiers.isVerifier(password)) {
                verifiers.put(name, password);
            } else if (password.startsWith(PLAIN)) {
                plain.put(name, password.substring(PLAIN.length()));
            }
        });
        return new ScramVerifiers(verifiers, plain);
    }

    /** Warns of users whose clients fail: a client chooses the best mechanism that is offered, whoever its user is. */
    private void warnOfMixture() {
        Set<String> without = new TreeSet<>();
        scram.mechanisms()
                .values()
                .forEach(names -> passwords.keySet().stream()
                        .filter(name -> !names.contains(name))
                        .forEach(without::add));
        if (!without.isEmpty()) {
            LOG.warn(
                    "RT-1059 users {} have no password for some of {}: clients that choose such a mechanism are"
                            + " refused; give all users the same kind of password, or name the mechanism in the client"
                            + " (Qpid JMS: option saslMechanisms)",
                    without,
                    scram.mechanisms().keySet());
        }
    }

    @Override
    public boolean hasPasswords() {
        return !passwords.isEmpty();
    }

    @Override
    public ScramVerifiers scram() {
        return scram;
    }

    @Override
    public boolean isUser(String name) {
        return groups.containsKey(name);
    }

    @Override
    public Set<String> groups(String name) {
        return groups.getOrDefault(name, Set.of());
    }

    @Override
    public boolean authenticate(String name, String password) {
        if (stored.isEmpty()) {
            return false; // everybody has a certificate
        }
        String known = passwords.get(name);
        boolean matches = encoder.matches(password, known == null ? decoy(name) : known);
        return known != null && matches;
    }

    /**
     * Picks a configured user's password. A name meets the same one after a restart, and nobody outside can tell whose
     * it is: the hashes are the secret.
     */
    private String decoy(String name) {
        return stored.get(Math.floorMod(31 * stored.hashCode() + name.hashCode(), stored.size()));
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
            return java.security.MessageDigest.isEqual(
                    raw.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8),
                    stored.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
    }
}
