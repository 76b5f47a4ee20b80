package io.ringtable.broker.access;

import java.util.Locale;

/** Lists what a user may do for the whole broker; each role includes those before it. */
public enum Role {
    /** Means that only permissions on addresses count. */
    NONE,
    /** Sees what there is and how it goes, and the contents of no message. */
    VIEWER,
    /** Reads, moves and deletes messages, and closes connections. */
    OPERATOR,
    /** Does everything: makes and deletes addresses, sets policies, users and rules. */
    ADMINISTRATOR;

    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }

    /** Returns the name as the configuration has it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
