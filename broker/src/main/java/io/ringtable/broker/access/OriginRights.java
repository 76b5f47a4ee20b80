package io.ringtable.broker.access;

import java.util.List;
import java.util.Set;

/**
 * Decides which messages of a dead-letter or expiry queue one user may read: those from addresses that the user may
 * read as well. Two are equal if the same rules say the same about every message.
 * <p>
 * Thread: any; immutable.
 *
 * @param rules those that are for the user
 * @param permission to receive or to browse
 * @param others dead-letter and expiry queues, except this one, that no rule names
 */
public record OriginRights(List<AccessRule> rules, Permission permission, String queue, Set<String> others) {

    public OriginRights {
        others = Set.copyOf(others);
    }

    /** Tells whether there may be messages for the user at all. */
    public boolean permitsSome() {
        return rules.stream().anyMatch(rule -> rule.permissions().contains(permission));
    }

    /**
     * Tells whether the user may read a message. A letter that died a second time, in another dead-letter queue, does
     * not tell where it came from first. Only users whose rule names that queue read it.
     *
     * @param origin the address that the message came from; null if it was sent to the queue itself
     */
    public boolean permits(String origin) {
        String address = origin == null ? queue : origin;
        return !others.contains(address) && rules.stream().anyMatch(rule -> rule.permits(permission, address));
    }
}
