package io.ringtable.broker.login;

import io.ringtable.broker.access.UserBounds;
import io.ringtable.broker.login.scram.ScramVerifiers;
import java.util.Set;

/**
 * Knows the users, and checks what they log in with.
 * <p>
 * Thread: any {@code login-N} checks passwords, several at once; never an event loop, so slow hashes are welcome.
 * Any thread calls the rest.
 */
@FunctionalInterface
public interface Authenticator {

    /** Returns whether that user exists and has that password. */
    boolean authenticate(String name, String password);

    /** Returns whether clients have to log in; if not, everybody may connect. The answer may change. */
    default boolean isLoginNeeded() {
        return true;
    }

    /**
     * Returns what a login of that user stands on: another text once the password is another one, null once the user is
     * gone. The text is a secret.
     */
    default String proof(String name) {
        return "";
    }

    /** Lets a listener hear that users came, changed or went, until {@link #forget}. */
    default void onChange(Runnable listener) {}

    default void forget(Runnable listener) {}

    /** Returns whether at least one user has a password that {@link #authenticate} can check. */
    default boolean hasPasswords() {
        return true;
    }

    /** Returns what the proofs of SCRAM are checked against. */
    default ScramVerifiers scram() {
        return ScramVerifiers.NONE;
    }

    /** Returns whether there is a user of that name, who may prove the name by a certificate. */
    default boolean isUser(String name) {
        return false;
    }

    /** Returns the groups of a user who has logged in. */
    default Set<String> groups(String name) {
        return Set.of();
    }

    /**
     * Returns what a user may have and do with all of its connections. The answer may change.
     *
     * @param others bounds of users that have none of their own
     */
    default UserBounds bounds(String name, UserBounds others) {
        return others;
    }
}
