package io.ringtable.broker.access;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Holds what one user may do.
 * <p>
 * Thread: any; immutable. Each question costs a look at each rule: callers keep answers that they need often.
 *
 * @param unlimited whether there are no rules, so that everything is permitted
 * @param rules those that are for the user
 * @param named addresses that a rule names literally, for whichever user
 */
public record Rights(boolean unlimited, List<AccessRule> rules, Set<String> named) {
    /** Permits nothing. */
    public static final Rights NOTHING = new Rights(false, List.of(), Set.of());

    static final Rights ALL = new Rights(true, List.of(), Set.of());

    /** Returns everything that is permitted on the address. */
    public Set<Permission> on(String address) {
        if (unlimited) {
            return EnumSet.allOf(Permission.class);
        }
        Set<Permission> permitted = EnumSet.noneOf(Permission.class);
        for (AccessRule rule : rules) {
            if (rule.match().matches(address)) {
                permitted.addAll(rule.permissions());
            }
        }
        return permitted;
    }

    public boolean permits(Permission permission, String address) {
        return unlimited || rules.stream().anyMatch(rule -> rule.permits(permission, address));
    }

    /** Tells whether one rule gives the permission for every address. */
    private boolean permitsEverywhere(Permission permission) {
        return unlimited
                || rules.stream()
                        .anyMatch(rule -> rule.permissions().contains(permission)
                                && rule.match().isEveryName());
    }

    /**
     * Returns how far the user may read a dead-letter or expiry queue whose messages follow the rights of the addresses
     * that they came from. Null if the queue's own rights count: a rule names the queue, or one gives the permission
     * for every address.
     *
     * @param permission to receive or to browse
     * @param queues all dead-letter and expiry queues
     */
    public OriginRights byOrigin(Permission permission, String queue, Set<String> queues) {
        if (!queues.contains(queue) || named.contains(queue) || permitsEverywhere(permission)) {
            return null;
        }
        Set<String> others = new HashSet<>(queues);
        others.removeAll(named);
        others.remove(queue);
        return new OriginRights(rules, permission, queue, others);
    }
}
