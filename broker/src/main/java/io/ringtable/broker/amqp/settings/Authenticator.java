package io.ringtable.broker.amqp.settings;

/**
 * Says whether a client is who it claims to be.
 * <p>
 * Thread: {@code amqp-login-N}, never an event loop, so slow hashes are welcome; several at once.
 */
@FunctionalInterface
public interface Authenticator {

    /** Whether that user exists and has that password. */
    boolean authenticate(String name, String password);
}
