package io.ringtable.broker.admin;

import io.ringtable.broker.amqp.login.Authenticator;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.SecurityProperties;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.DelegatingPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.crypto.password.Pbkdf2PasswordEncoder;

/**
 * Checks logins against the configured users. A password is a hash with its prefix, {@code {bcrypt}} or
 * {@code {pbkdf2}}. Plain text with the prefix {@code {noop}} is for trials.
 * <p>
 * Thread: any. An unknown user costs as much time as a known one: the broker compares the password with that of a
 * configured user. One name always meets the same user, whatever hash and cost that user has.
 */
public final class Users implements Authenticator {
    private static final Logger LOG = LoggerFactory.getLogger(Users.class);
    private static final String PLAIN = "{noop}";

    private static final Pattern HASH = Pattern.compile(
            "\\{bcrypt}\\$2[aby]?\\$(0[4-9]|[12]\\d|3[01])\\$[./0-9A-Za-z]{53}|\\{pbkdf2}[0-9a-fA-F]{96}");

    private final Map<String, String> passwords = new LinkedHashMap<>();
    private final Map<String, Set<String>> groups = new HashMap<>();
    private final List<String> stored; // in the order of the configuration
    private final PasswordEncoder encoder;

    /** Reads the users. @throws ConfigurationRefused if two users have one name, or a password has no known prefix */
    public Users(SecurityProperties properties) {
        encoder = new DelegatingPasswordEncoder(
                "bcrypt",
                Map.of(
                        "bcrypt", new BCryptPasswordEncoder(),
                        "pbkdf2", Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_8(),
                        "noop", new PlainText()));
        for (int i = 0; i < properties.users().size(); i++) {
            add(i, properties.users().get(i));
        }
        stored = List.copyOf(passwords.values());
    }

    private void add(int position, SecurityProperties.User user) {
        String property = "ringtable.security.users[" + position + "]";
        String password = user.password();
        if (!password.startsWith("{bcrypt}") && !password.startsWith("{pbkdf2}") && !password.startsWith(PLAIN)) {
            throw new ConfigurationRefused(
                    "RT-1030",
                    property + ".password of user '" + user.name() + "' has no known prefix: hash it and write"
                            + " {bcrypt}$2a$10$..., or {noop} and plain text for a trial");
        }
        if (!password.startsWith(PLAIN) && !HASH.matcher(password).matches()) {
            throw new ConfigurationRefused(
                    "RT-1050",
                    property + ".password of user '" + user.name() + "' does not fit its prefix: write {bcrypt} and 60"
                            + " characters that begin with $2a$, $2b$ or $2y$, or {pbkdf2} and 96 hexadecimal digits");
        }
        if (password.startsWith(PLAIN)) {
            LOG.warn(
                    "RT-1031 {}.password of user '{}' is plain text: hash it before others use this broker",
                    property,
                    user.name());
        }
        if (passwords.putIfAbsent(user.name(), password) != null) {
            throw new ConfigurationRefused(
                    "RT-1032", property + ".name='" + user.name() + "' occurs twice: remove one of the two");
        }
        groups.put(user.name(), user.groups());
    }

    public boolean isEmpty() {
        return passwords.isEmpty();
    }

    @Override
    public Set<String> groups(String name) {
        return groups.getOrDefault(name, Set.of());
    }

    @Override
    public boolean authenticate(String name, String password) {
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
