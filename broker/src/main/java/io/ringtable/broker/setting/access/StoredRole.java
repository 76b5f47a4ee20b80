package io.ringtable.broker.setting.access;

import io.ringtable.broker.access.Roles;
import io.ringtable.broker.message.Refusal;
import java.util.Set;

/**
 * Holds who has a role, as administrators write it and as it is stored; the name of the role is that of the setting.
 * <p>
 * Thread: any; immutable.
 *
 * @param users that have the role; * = every user who has logged in
 * @param groups whose members have it as well
 */
public record StoredRole(Set<String> users, Set<String> groups) {

    public static final StoredRole NOBODY = new StoredRole(Set.of(), Set.of());

    public StoredRole {
        users = users == null ? Set.of() : Set.copyOf(users);
        groups = groups == null ? Set.of() : Set.copyOf(groups);
    }

    /** @throws Refusal.Refused if a name cannot be, with what is wrong */
    public void check(String role) {
        if (groups.contains("*")
                || users.stream().anyMatch(String::isBlank)
                || groups.stream().anyMatch(String::isBlank)) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.INVALID,
                    "RT-7640",
                    "role '" + role + "' is not set: it has an empty name, or groups '*': name users and groups, or"
                            + " write users ['*'] for every user"));
        }
    }

    /** Tells whether it gives nobody the role. No getter's name: it is no field of the document. */
    public boolean givesNobody() {
        return users.isEmpty() && groups.isEmpty();
    }

    /** Returns what counts. */
    Roles.Members members() {
        return new Roles.Members(users, groups);
    }
}
