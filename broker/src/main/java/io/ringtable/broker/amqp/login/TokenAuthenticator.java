package io.ringtable.broker.amqp.login;

import java.util.function.Consumer;

/**
 * Checks bearer tokens.
 * <p>
 * Thread: any {@code amqp-login-N}, several at once; never an event loop, so a look at the keys of an issuer is
 * welcome. Failure: a check that cannot be made throws, and the login is refused.
 */
@FunctionalInterface
public interface TokenAuthenticator {

    /**
     * Returns whom a token speaks of.
     *
     * @param refused hears why the token is not valid here; never the token
     * @return null if it is not valid
     */
    VerifiedToken check(String token, Consumer<String> refused);
}
