package io.ringtable.broker.admin;

import io.ringtable.broker.access.UserBounds;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.config.SecurityProperties.User;
import io.ringtable.broker.login.Authenticator;
import io.ringtable.broker.login.scram.ScramVerifiers;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.crypto.password.PasswordEncoder;

/**
 * Checks logins against the users of the configuration, and against those that administrators made at run time. How a
 * password is stored says {@link Passwords}.
 * <p>
 * Thread: any. An unknown user costs as much time as a known one: the broker compares the password with that of another
 * user. One name always meets the same user, whatever hash and cost that user has.
 */
public final class Users implements Authenticator {
    private static final Logger LOG = LoggerFactory.getLogger(Users.class);

    private final PasswordEncoder encoder = Passwords.encoder();
    private final boolean isLoginConfigured;
    private final List<User> configuredUsers;
    private final UserTable configured;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile UserTable all; // written by whoever replaces the stored users, read by any
    private volatile boolean isLoginStored; // as all

    /** Reads the users. @throws ConfigurationRefused if two users have one name, or a password is none of the known */
    public Users(SecurityProperties properties) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < properties.users().size(); i++) {
            check("ringtable.security.users[" + i + "]", properties.users().get(i), names);
        }
        this.isLoginConfigured = properties.isLoginNeeded();
        this.configuredUsers = List.copyOf(properties.users());
        this.configured = new UserTable(properties.users());
        this.all = configured;
    }

    private static void check(String property, User user, Set<String> names) {
        String whose = property + ".password of user '" + user.name() + "'";
        Passwords.Fault fault = Passwords.fault(user.password());
        if (fault != null) {
            throw new ConfigurationRefused(fault.code(), whose + fault.text());
        }
        if (Passwords.isPlain(user.password())) {
            LOG.warn("RT-1031 {} is plain text: hash it before others use this broker", whose);
        }
        if (!names.add(user.name())) {
            throw new ConfigurationRefused(
                    "RT-1032", property + ".name='" + user.name() + "' occurs twice: remove one of the two");
        }
    }

    /**
     * Replaces the users that were made at run time. The listeners run on the caller's thread before this returns.
     *
     * @param stored with passwords that have no fault and are no plain text; none that is configured
     * @param areThereUsers whether users were made at run time, even if none of them counts: then nobody connects
     *     without a login
     */
    public void replaceStored(List<User> stored, boolean areThereUsers) {
        all = configured.with(stored, all);
        isLoginStored = areThereUsers;
        listeners.forEach(Runnable::run);
    }

    /**
     * Makes of a user's password what is stored, in the form that suits the other users: a slow computation.
     *
     * @param password not empty
     */
    public String hash(String name, String password) {
        UserTable now = all;
        return Passwords.hash(password, now.mechanismsBeside(name), now.hasPasswordsBeside(name));
    }

    /** Tells whether the configuration alone makes clients log in. */
    public boolean isLoginConfigured() {
        return isLoginConfigured;
    }

    /** Returns the users of the configuration, in its order. Their passwords are secrets. */
    public List<User> configured() {
        return configuredUsers;
    }

    /** Tells whether the configuration has a user of that name. */
    public boolean isConfigured(String name) {
        return configured.has(name);
    }

    @Override
    public boolean isLoginNeeded() {
        return isLoginConfigured || isLoginStored;
    }

    @Override
    public boolean hasPasswords() {
        return all.hasPasswords();
    }

    @Override
    public ScramVerifiers scram() {
        return all.scram();
    }

    @Override
    public boolean isUser(String name) {
        return all.has(name);
    }

    @Override
    public Set<String> groups(String name) {
        User user = all.find(name);
        return user == null ? Set.of() : user.groups();
    }

    @Override
    public UserBounds bounds(String name, UserBounds others) {
        User user = all.find(name);
        return user == null ? others : user.bounds(others);
    }

    @Override
    public String proof(String name) {
        return all.stored(name);
    }

    @Override
    public boolean authenticate(String name, String password) {
        UserTable now = all;
        if (!now.hasPasswords()) {
            return false; // everybody has a certificate
        }
        boolean matches = encoder.matches(password, now.storedOrDecoy(name));
        return now.hasPassword(name) && matches;
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void forget(Runnable listener) {
        listeners.remove(listener);
    }
}
