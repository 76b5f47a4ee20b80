package io.ringtable.broker.login;

import io.ringtable.broker.access.UserBounds;
import io.ringtable.broker.config.CertificateName;
import io.ringtable.broker.config.SecurityProperties;

/**
 * Decides which users may log in, and what wrong passwords cost.
 *
 * @param bounds of failed and of remembered logins, and of users that have none of their own
 * @param authenticator null = clients always connect without a login
 * @param tokens null = bearer tokens are not taken
 * @param certificateName which name of a client's certificate is that of its user
 * @param node as whom the nodes of the cluster log in at each other
 */
public record LoginRules(
        SecurityProperties bounds,
        Authenticator authenticator,
        TokenAuthenticator tokens,
        CertificateName certificateName,
        NodeLogin node) {

    /** Returns the user as which other nodes of the cluster log in; null = none does. */
    public String nodeUser() {
        return node == null ? null : node.user();
    }

    /** Returns what bounds the connections of a user. The answer may change. */
    public UserBounds boundsOf(String user) {
        return authenticator == null ? bounds.userBounds() : authenticator.bounds(user, bounds.userBounds());
    }

    /** Tells whether clients connect under any name, and without one. The answer may change. */
    public boolean isOpenToAll() {
        return authenticator == null || !authenticator.isLoginNeeded();
    }
}
