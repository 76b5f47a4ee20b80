package io.ringtable.broker.access;

import java.util.Objects;
import java.util.Set;

/**
 * Says who a client has proved to be.
 *
 * @param name of the user; empty where everybody may connect
 * @param groups that the user is in
 */
public record Identity(String name, Set<String> groups) {
    /** Stands for a client that did not log in. */
    public static final Identity ANONYMOUS = new Identity("", Set.of());

    public Identity {
        Objects.requireNonNull(name, "name");
        groups = Set.copyOf(groups);
    }

    /** Returns a user in no group. */
    public static Identity of(String name) {
        return new Identity(name, Set.of());
    }
}
