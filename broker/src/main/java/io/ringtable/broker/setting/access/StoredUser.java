package io.ringtable.broker.setting.access;

import io.ringtable.broker.admin.Passwords;
import io.ringtable.broker.config.SecurityProperties.User;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.Objects;
import java.util.Set;
import org.springframework.util.unit.DataSize;

/**
 * Holds what is stored of a user who was made at run time; the name is that of the setting.
 * <p>
 * Thread: any; immutable.
 *
 * @param passwordHash in a form of {@link Passwords}, except plain text
 * @param groups that the user is in
 * @param connectionsMax connections that the user may have open at once, 0 to 1,000,000. As in the next two, 0 = no
 *     bound, null = as all users have it
 * @param messagesPerSecond messages that it may publish in a second, 0 to 100,000,000
 * @param bytesPerSecond bytes of messages that it may publish in a second, 0 to 1 TB
 */
public record StoredUser(
        String passwordHash,
        Set<String> groups,
        Integer connectionsMax,
        Integer messagesPerSecond,
        Long bytesPerSecond) {

    private static final long CONNECTIONS_MAX = 1_000_000;
    private static final long MESSAGES_MAX = 100_000_000;
    private static final long BYTES_MAX = 1L << 40;

    public StoredUser {
        Objects.requireNonNull(passwordHash, "passwordHash");
        groups = groups == null ? Set.of() : Set.copyOf(groups);
    }

    /** @throws Refusal.Refused if there can be no such user, with what is wrong */
    public void check(String name) {
        if (!Address.isName(name) || name.isBlank() || name.equals("*")) {
            throw refused(
                    "RT-7621",
                    name,
                    "a name has 1 to " + Address.NAME_MAX + " characters, not all of them blanks, no control"
                            + " characters, and is not *");
        }
        if (groups.stream().anyMatch(group -> !Address.isName(group) || group.isBlank())) {
            throw refused("RT-7622", name, "a group has a name like that of a user, and one of these has not");
        }
        Passwords.Fault fault = Passwords.fault(passwordHash);
        if (fault != null) {
            throw refused("RT-7623", name, "the passwordHash" + fault.text());
        }
        if (Passwords.isPlain(passwordHash)) {
            throw refused(
                    "RT-7637",
                    name,
                    "the passwordHash is plain text: send it as the password, and the broker stores a hash");
        }
        checkBound(name, "connectionsMax", connectionsMax, CONNECTIONS_MAX);
        checkBound(name, "messagesPerSecond", messagesPerSecond, MESSAGES_MAX);
        checkBound(name, "bytesPerSecond", bytesPerSecond, BYTES_MAX);
    }

    private static void checkBound(String name, String field, Number value, long most) {
        if (value != null && (value.longValue() < 0 || value.longValue() > most)) {
            throw refused(
                    "RT-7721",
                    name,
                    field + "=" + value + ": write a number from 0 to " + most + ", where 0 is no bound, or -1 for the"
                            + " bound of all users");
        }
    }

    /** Returns what counts. */
    User user(String name) {
        return new User(
                name,
                passwordHash,
                groups,
                connectionsMax,
                messagesPerSecond,
                bytesPerSecond == null ? null : DataSize.ofBytes(bytesPerSecond));
    }

    private static Refusal.Refused refused(String code, String name, String why) {
        return new Refusal.Refused(
                new Refusal(Refusal.Reason.INVALID, code, "user '" + Printable.value(name) + "' is not set: " + why));
    }

    @Override
    public String toString() {
        return "StoredUser" + groups; // without the hash
    }
}
