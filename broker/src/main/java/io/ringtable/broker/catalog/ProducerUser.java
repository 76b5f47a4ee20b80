package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Printable;
import java.util.Objects;

/**
 * Says for whom a producer is opened.
 *
 * @param name of the user, who owns the producer from now on if nobody does; empty without users, who own none
 * @param share of whom a new producer counts against, a user or a host; null = nobody
 * @param manages whether a rule lets the user open producers of other users
 * @param from the connection, as people read it
 */
public record ProducerUser(String name, String share, boolean manages, String from) {
    /** The code of {@link #notYours}. */
    public static final String NOT_YOURS = "RT-4354";

    /** The share that counts the producers of relays. No user has it: names of users have no control characters. */
    public static final String RELAYS = "\0relays";

    public ProducerUser {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(from, "from");
    }

    /** Returns a node that holds producers for the links which it passes on. @param from as people read it */
    public static ProducerUser relay(String from) {
        return new ProducerUser("", RELAYS, true, from);
    }

    /** Tells whether a node asks for links that it passes on. */
    public boolean isRelay() {
        return RELAYS.equals(share);
    }

    /** Returns somebody without a user, who may open every producer. */
    public static ProducerUser nobody(String share) {
        return new ProducerUser("", share, true, "");
    }

    /** Tells whether the user may open a producer. @param owner of the producer; null = nobody */
    public boolean mayOpen(String owner) {
        return owner == null || name.isEmpty() || manages || owner.equals(name);
    }

    /** Says why the user may not open a producer, without the code and without its owner. */
    public String notYours(Object producer) {
        return "user '" + Printable.value(name) + "' may not open " + producer + ", which is of another user: choose"
                + " another producer id. An administrator may also delete the producer, or give this user the"
                + " permission 'manage' for its address";
    }
}
