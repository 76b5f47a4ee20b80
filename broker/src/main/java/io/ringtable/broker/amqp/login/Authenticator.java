package io.ringtable.broker.amqp.login;

import java.util.Set;

/**
 * Checks a client's name and password.
 * <p>
 * Thread: any {@code amqp-login-N}, several at once; never an event loop, so slow hashes are welcome.
 */
@FunctionalInterface
public interface Authenticator {

    /** Returns whether that user exists and has that password. */
    boolean authenticate(String name, String password);

    /** Returns the groups of a user whose password was right. Thread: any. */
    default Set<String> groups(String name) {
        return Set.of();
    }
}
