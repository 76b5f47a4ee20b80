package io.ringtable.broker.access;

import java.util.Locale;

/** Lists what a rule can permit on an address. */
public enum Permission {
    /** Permits publishing to the address. */
    SEND("send to"),
    /** Permits consuming from a queue, and subscribing to a topic. */
    RECEIVE("receive from"),
    /** Permits looking at the messages of a queue and taking none. */
    BROWSE("browse"),
    /** Permits using an address that does not exist, so that the broker creates it. */
    CREATE("create"),
    /** Permits deleting the address with all that it holds. */
    DELETE("delete"),
    /** Permits administering the address, and using durable subscriptions of others on it. */
    MANAGE("manage");

    private final String verb;

    Permission(String verb) {
        this.verb = verb;
    }

    /** Returns what the user does to the address, as in {@code send to}. */
    public String verb() {
        return verb;
    }

    /** Returns the name as the configuration has it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
