package io.ringtable.broker.setting.access;

import io.ringtable.broker.admin.Passwords;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Printable;
import io.ringtable.broker.message.Refusal;
import java.util.Objects;
import java.util.Set;

/**
 * Holds what is stored of a user who was made at run time; the name is that of the setting.
 * <p>
 * Thread: any; immutable.
 *
 * @param passwordHash in a form of {@link Passwords}, except plain text
 * @param groups that the user is in
 */
public record StoredUser(String passwordHash, Set<String> groups) {

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
