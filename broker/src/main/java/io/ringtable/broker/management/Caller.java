package io.ringtable.broker.management;

import io.ringtable.broker.access.Identity;
import java.util.Objects;

/**
 * Says who asks for an operation, and how.
 *
 * @param identity {@link Identity#ANONYMOUS} where nobody logs in
 * @param way by which the request came: {@code http}, {@code amqp}, {@code console} or
 *     {@value #RELAY}
 * @param from address of the peer, for people
 */
public record Caller(Identity identity, String way, String from) {
    /** Is the way of a request that another node has passed on, for a user whose rights it has judged as well. */
    public static final String RELAY = "relay";

    public Caller {
        Objects.requireNonNull(identity, "identity");
        Objects.requireNonNull(way, "way");
        Objects.requireNonNull(from, "from");
    }

    /** Tells whether another node has passed the request on, so that this one must do it or refuse it. */
    public boolean isCarried() {
        return way.equals(RELAY);
    }

    /** Returns the user as the audit log names it. */
    public String user() {
        return identity.name().isEmpty() ? "(no login)" : identity.name();
    }
}
