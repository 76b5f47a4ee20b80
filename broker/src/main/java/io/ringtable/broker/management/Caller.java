package io.ringtable.broker.management;

import io.ringtable.broker.access.Identity;
import java.util.Objects;

/**
 * Says who asks for an operation, and how.
 *
 * @param identity {@link Identity#ANONYMOUS} where nobody logs in
 * @param way by which the request came: {@code http}, {@code amqp} or {@code console}
 * @param from address of the peer, for people
 */
public record Caller(Identity identity, String way, String from) {
    public Caller {
        Objects.requireNonNull(identity, "identity");
        Objects.requireNonNull(way, "way");
        Objects.requireNonNull(from, "from");
    }

    /** Returns the user as the audit log names it. */
    public String user() {
        return identity.name().isEmpty() ? "(no login)" : identity.name();
    }
}
