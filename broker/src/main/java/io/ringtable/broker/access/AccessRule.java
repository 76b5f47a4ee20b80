package io.ringtable.broker.access;

import io.ringtable.broker.message.AddressPattern;
import java.util.Collections;
import java.util.Set;

/**
 * Permits some users to do some things to the addresses that match.
 *
 * @param match names of addresses
 * @param users names of users; {@value #EVERY_USER} stands for every user who has logged in
 * @param groups groups whose members the rule is for as well
 */
public record AccessRule(AddressPattern match, Set<String> users, Set<String> groups, Set<Permission> permissions) {
    /** Stands among the users of a rule for every user. */
    public static final String EVERY_USER = "*";

    public AccessRule {
        users = Set.copyOf(users);
        groups = Set.copyOf(groups);
        permissions = Set.copyOf(permissions);
    }

    boolean permits(Permission permission, String address) {
        return permissions.contains(permission) && match.matches(address);
    }

    /** Tells whether the rule is for that user; no rule is for a client without a login. */
    boolean isFor(Identity who) {
        return !who.name().isEmpty()
                && (users.contains(EVERY_USER)
                        || users.contains(who.name())
                        || !Collections.disjoint(groups, who.groups()));
    }
}
