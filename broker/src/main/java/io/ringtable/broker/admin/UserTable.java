package io.ringtable.broker.admin;

import io.ringtable.broker.config.SecurityProperties.User;
import io.ringtable.broker.login.scram.ScramVerifiers;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds all users at one time, with their stored passwords, which have no fault.
 * <p>
 * Thread: any; immutable.
 */
final class UserTable {
    private static final Logger LOG = LoggerFactory.getLogger(UserTable.class);

    private static final int NAMES_SHOWN = 20;

    private final Map<String, String> passwords; // of those who have one
    private final Map<String, User> users; // all of them
    private final List<String> stored; // passwords, in the order of the users
    private final ScramVerifiers scram;
    private final Set<String> without; // users that have no password for some mechanism

    /** @param users no two of one name */
    UserTable(List<User> users) {
        this(new LinkedHashMap<>(), new HashMap<>(), users, scramOf(users), Set.of());
    }

    private UserTable(
            Map<String, String> passwords,
            Map<String, User> users,
            List<User> more,
            ScramVerifiers scram,
            Set<String> known) {
        for (User user : more) {
            users.put(user.name(), user);
            if (!user.password().equals(Passwords.EXTERNAL)) {
                passwords.put(user.name(), user.password());
            }
        }
        this.passwords = passwords;
        this.users = users;
        this.stored = List.copyOf(passwords.values());
        this.scram = scram;
        this.without = usersWithoutSome();
        if (!without.isEmpty() && !without.equals(known)) {
            warnOfMixture();
        }
    }

    /**
     * Returns these users and more.
     *
     * @param more none of the same name, and none with plain text
     * @param earlier result of an earlier call, for most of the same users
     */
    UserTable with(List<User> more, UserTable earlier) {
        Map<String, String> verifiers = new HashMap<>();
        for (User user : more) {
            if (ScramVerifiers.isVerifier(user.password())) {
                verifiers.put(user.name(), user.password());
            }
        }
        return new UserTable(
                new LinkedHashMap<>(passwords),
                new HashMap<>(users),
                more,
                scram.with(verifiers, earlier.scram),
                earlier.without);
    }

    private static ScramVerifiers scramOf(List<User> users) {
        Map<String, String> verifiers = new HashMap<>();
        Map<String, String> plain = new HashMap<>();
        for (User user : users) {
            if (ScramVerifiers.isVerifier(user.password())) {
                verifiers.put(user.name(), user.password());
            } else if (Passwords.isPlain(user.password())) {
                plain.put(user.name(), user.password().substring(Passwords.PLAIN.length()));
            }
        }
        return new ScramVerifiers(verifiers, plain);
    }

    private Set<String> usersWithoutSome() {
        Set<String> found = new TreeSet<>();
        scram.mechanisms()
                .values()
                .forEach(names -> passwords.keySet().stream()
                        .filter(name -> !names.contains(name))
                        .forEach(found::add));
        return found;
    }

    /** Warns of users whose clients fail: a client chooses the best mechanism that is offered, whoever its user is. */
    private void warnOfMixture() {
        int others = without.size() - NAMES_SHOWN;
        LOG.warn(
                "RT-1059 users {}{} have no password for some of {}: the broker refuses clients that choose such a"
                        + " mechanism. Give all users the same kind of password, or name the mechanism in the client"
                        + " (Qpid JMS: option saslMechanisms)",
                without.stream().limit(NAMES_SHOWN).toList(),
                others > 0 ? " and " + others + " more" : "",
                scram.mechanisms().keySet());
    }

    boolean hasPasswords() {
        return !passwords.isEmpty();
    }

    ScramVerifiers scram() {
        return scram;
    }

    boolean has(String name) {
        return users.containsKey(name);
    }

    /** Returns a user; null if there is none of that name. */
    User find(String name) {
        return users.get(name);
    }

    /** Returns the stored password; null if there is no such user. */
    String stored(String name) {
        return passwords.getOrDefault(name, users.containsKey(name) ? Passwords.EXTERNAL : null);
    }

    /**
     * Returns the stored password of a user who has one, or that of another user for a name that has none. A name meets
     * the same one after a restart, and nobody outside can tell whose it is: the hashes are the secret. Null if nobody
     * has a password.
     */
    String storedOrDecoy(String name) {
        String known = passwords.get(name);
        return known != null || stored.isEmpty()
                ? known
                : stored.get(Math.floorMod(31 * stored.hashCode() + name.hashCode(), stored.size()));
    }

    /** Returns the mechanisms of SCRAM that users beside this one have verifiers for. */
    Set<String> mechanismsBeside(String name) {
        return scram.mechanisms().entrySet().stream()
                .filter(offered -> offered.getValue().stream().anyMatch(user -> !user.equals(name)))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Tells whether users beside this one have passwords. */
    boolean hasPasswordsBeside(String name) {
        return passwords.size() > (passwords.containsKey(name) ? 1 : 0);
    }

    boolean hasPassword(String name) {
        return passwords.containsKey(name);
    }
}
