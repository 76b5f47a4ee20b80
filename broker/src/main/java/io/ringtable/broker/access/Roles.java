package io.ringtable.broker.access;

import java.util.Collections;
import java.util.Map;
import java.util.Set;

/**
 * Says which users have which role. A user who has several has the highest.
 * <p>
 * Thread: any; immutable.
 *
 * @param members by role; a role that is absent has none
 */
public record Roles(Map<Role, Members> members) {
    /** Gives nobody a role. */
    public static final Roles NOBODY = new Roles(Map.of());

    /**
     * Lists who has a role.
     *
     * @param users names; {@value AccessRule#EVERY_USER} stands for every user who has logged in
     * @param groups groups whose members have the role as well
     */
    public record Members(Set<String> users, Set<String> groups) {
        public Members {
            users = Set.copyOf(users);
            groups = Set.copyOf(groups);
        }

        public boolean isEmpty() {
            return users.isEmpty() && groups.isEmpty();
        }

        /** Tells whether that user is among them; nobody is without a login. */
        boolean has(Identity who) {
            return !who.name().isEmpty()
                    && (users.contains(AccessRule.EVERY_USER)
                            || users.contains(who.name())
                            || !Collections.disjoint(groups, who.groups()));
        }
    }

    public Roles {
        members = Map.copyOf(members);
    }

    /** Tells whether nobody has a role. */
    public boolean isEmpty() {
        return members.values().stream().allMatch(Members::isEmpty);
    }

    /** Returns the highest role of a user. */
    public Role of(Identity who) {
        Role highest = Role.NONE;
        for (Map.Entry<Role, Members> entry : members.entrySet()) {
            if (entry.getKey().includes(highest) && entry.getValue().has(who)) {
                highest = entry.getKey();
            }
        }
        return highest;
    }
}
