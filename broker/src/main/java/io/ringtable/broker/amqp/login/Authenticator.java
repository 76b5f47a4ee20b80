package io.ringtable.broker.amqp.login;

/**
 * Checks a client's name and password.
 * <p>
 * Thread: any {@code amqp-login-N}, several at once; never an event loop, so slow hashes are welcome.
 */
@FunctionalInterface
public interface Authenticator {

    /** Returns whether that user exists and has that password. */
    boolean authenticate(String name, String password);
}
