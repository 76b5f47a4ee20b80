package io.ringtable.broker.admin.http;

import io.ringtable.broker.access.Identity;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.Authentication;

/** Is a user who has logged in over HTTP. Thread: any; immutable. */
public final class HttpUser extends AbstractAuthenticationToken {
    private static final long serialVersionUID = 1L;

    private final transient Identity identity; // as it was at the login
    private final transient Supplier<Identity> standing;

    /** @param standing says, whenever it is asked, who the user is; null once the login counts no longer */
    HttpUser(Identity identity, Supplier<Identity> standing) {
        super(List.of());
        this.identity = identity;
        this.standing = standing;
        setAuthenticated(true);
    }

    /**
     * Returns who asks, with the groups of now; {@link Identity#ANONYMOUS} if nobody has logged in.
     *
     * @param login null if there was none
     */
    public static Identity identityOf(Authentication login) {
        if (!(login instanceof HttpUser user)) {
            return Identity.ANONYMOUS;
        }
        Identity now = user.standing.get();
        return now == null ? user.identity : now;
    }

    /** Tells whether a user has logged in, and neither the user nor the password has gone since. */
    public static boolean isStanding(Authentication login) {
        return login instanceof HttpUser user && user.standing.get() != null;
    }

    @Override
    public Object getCredentials() {
        return "";
    }

    @Override
    public Object getPrincipal() {
        return identity.name();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HttpUser that && that.identity.equals(identity);
    }

    @Override
    public int hashCode() {
        return identity.hashCode();
    }
}
