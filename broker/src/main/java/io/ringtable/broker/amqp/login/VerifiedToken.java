package io.ringtable.broker.amqp.login;

import java.time.Instant;
import java.util.Objects;
import java.util.Set;

/**
 * Holds what a valid token says.
 *
 * @param name of the user
 * @param groups that the user is in
 * @param expiresAt when the connection has to end
 */
public record VerifiedToken(String name, Set<String> groups, Instant expiresAt) {
    public VerifiedToken {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(expiresAt, "expiresAt");
        groups = Set.copyOf(groups);
    }
}
