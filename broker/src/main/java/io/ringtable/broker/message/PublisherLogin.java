package io.ringtable.broker.message;

import java.util.Arrays;
import java.util.Objects;

/**
 * Says by which login a message was published: what the broker has checked, other than the {@code user-id} that a
 * client writes itself.
 * <p>
 * Stored messages have the id of their login in their shard. A login remembers its ids, so that a publisher's link
 * costs no look-up for each message; so each link has a login of its own.
 * <p>
 * Thread: any; the committer of a shard alone calls {@link #knownAs} for its shard. Immutable, except the ids.
 */
public final class PublisherLogin {
    /** The most characters of a name; the rest of a longer one is left out. */
    public static final int NAME_MAX = 400;

    /** The id of {@link #NOBODY} in every shard. */
    public static final int NOBODY_ID = 0;

    /** The id of {@link #UNKNOWN} in every shard. */
    public static final int UNKNOWN_ID = -1;

    /** Stands for a client that did not log in. */
    public static final PublisherLogin NOBODY = new PublisherLogin(Kind.NOBODY, "");

    /** Stands for a login that the broker did not keep. */
    public static final PublisherLogin UNKNOWN = new PublisherLogin(Kind.UNKNOWN, "");

    /** Stands for the broker, which answers requests of administrators by messages. */
    public static final PublisherLogin BROKER = new PublisherLogin(Kind.BROKER, "");

    /** Says how somebody came to publish. */
    public enum Kind {
        NOBODY,
        UNKNOWN,
        /** A client or an administrator that logged in to the broker. */
        USER,
        /** An application that published inside a transaction of its own; the database knows its user. */
        DATABASE,
        BROKER
    }

    private record Known(Object ids, int id) {}

    private final Kind kind;
    private final String name;
    // By shard. Committers write their own entries; one that is lost to another's larger array is written again.
    private volatile Known[] known = {};

    private PublisherLogin(Kind kind, String name) {
        this.kind = kind;
        this.name = name.length() <= NAME_MAX ? name : cut(name);
    }

    private static String cut(String name) {
        return name.substring(0, Character.isHighSurrogate(name.charAt(NAME_MAX - 1)) ? NAME_MAX - 1 : NAME_MAX);
    }

    /** Returns the login of a user of the broker. @param user empty = {@link #NOBODY} */
    public static PublisherLogin of(String user) {
        return user.isEmpty() ? NOBODY : new PublisherLogin(Kind.USER, user);
    }

    /** Returns the login of an application that publishes by SQL. @param user of the database; null if not known */
    public static PublisherLogin ofDatabase(String user) {
        return new PublisherLogin(Kind.DATABASE, user == null ? "" : user);
    }

    /** Returns a login as a row has it. */
    public static PublisherLogin stored(Kind kind, String name) {
        return new PublisherLogin(kind, name);
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the name of the user; empty if there is none. */
    public String name() {
        return name;
    }

    /** Returns the name with which a user logged in to the broker; null if the login is none of the broker's. */
    public String user() {
        return kind == Kind.USER ? name : null;
    }

    /**
     * Returns the id of the login.
     *
     * @param ids those of the shard
     * @return {@link #NOBODY_ID} for a login that was not told its id of these
     */
    public int idIn(Object ids, int shard) {
        if (kind == Kind.NOBODY) {
            return NOBODY_ID;
        }
        Known[] all = known;
        Known mine = shard < all.length ? all[shard] : null;
        return mine != null && mine.ids == ids ? mine.id : NOBODY_ID;
    }

    /** Remembers an id. @param ids those of the shard */
    public void knownAs(Object ids, int shard, int id) {
        Known[] all = known;
        if (shard >= all.length) {
            all = Arrays.copyOf(all, shard + 1);
        }
        all[shard] = new Known(ids, id);
        known = all;
    }

    /** Says it for people, as the end of "published by". No name of a user makes it look like another kind. */
    public String text() {
        return switch (kind) {
            case NOBODY -> "a client without a login";
            case UNKNOWN -> "unknown";
            case USER -> "login '" + Printable.value(name) + "'";
            case DATABASE ->
                name.isEmpty()
                        ? "the SQL inbox"
                        : "database user '" + Printable.value(name) + "', through the SQL inbox";
            case BROKER -> "the broker";
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PublisherLogin that && that.kind == kind && that.name.equals(name);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, name);
    }

    @Override
    public String toString() {
        return text();
    }
}
