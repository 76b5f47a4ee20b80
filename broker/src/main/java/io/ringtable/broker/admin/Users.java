package io.ringtable.broker.admin;

import io.ringtable.broker.amqp.Authenticator;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.SecurityProperties;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.DelegatingPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.crypto.password.Pbkdf2PasswordEncoder;

/**
 * The configured users. A password is a hash with its prefix, {@code {bcrypt}} or {@code {pbkdf2}}; {@code {noop}} and
 * plain text is for trials.
 * <p>
 * Thread: any. An unknown user costs as much time as a known one.
 */
public final class Users implements Authenticator {
    private static final Logger LOG = LoggerFactory.getLogger(Users.class);
    private static final String PLAIN = "{noop}";

    /** Of no password that anybody knows: what an unknown user's password is compared with. */
    private static final String NOBODY = "{bcrypt}$2a$10$7EqJtq98hPqEX7fNZaFWoOhi5BWX4Z1Z3MxE8lmyy6h6Zy/YPj4Oa";

    private final Map<String, String> passwords = new HashMap<>();
    private final PasswordEncoder encoder;

    /** @throws ConfigurationRefused if a name is used twice or a password has no known prefix */
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
        if (password.startsWith(PLAIN)) {
            LOG.warn(
                    "RT-1031 {}.password of user '{}' is plain text: hash it before others use this broker",
                    property,
                    user.name());
        }
        if (passwords.putIfAbsent(user.name(), password) != null) {
            throw new ConfigurationRefused(
                    "RT-1032", property + ".name='" + user.name() + "' is there twice: remove one of the two");
        }
    }

    public boolean isEmpty() {
        return passwords.isEmpty();
    }

    @Override
    public boolean authenticate(String name, String password) {
        String stored = passwords.get(name);
        boolean matches = encoder.matches(password, stored == null ? NOBODY : stored);
        return stored != null && matches;
    }

    /** Compares in constant time; Spring's own for plain text is deprecated to warn of it, as we do at the start. */
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
