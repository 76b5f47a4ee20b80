package io.ringtable.broker.login;

import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Checks bearer tokens.
 * <p>
 * Thread: any {@code login-N}, several at once; never an event loop, so a look at the keys of an issuer is
 * welcome. Failure: a check that cannot be made throws, and the login is refused.
 */
@FunctionalInterface
public interface TokenAuthenticator {

    /**
     * Holds what a valid token says.
     *
     * @param name of the user
     * @param groups that the user is in
     * @param expiresAt when the connection has to end
     */
    record VerifiedToken(String name, Set<String> groups, Instant expiresAt) {
        public VerifiedToken {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(expiresAt, "expiresAt");
            groups = Set.copyOf(groups);
        }
    }

    /**
     * Returns whom a token speaks of.
     *
     * @param refused hears why the token is not valid here; never the token
     * @return null if it is not valid
     */
    VerifiedToken check(String token, Consumer<String> refused);
}
