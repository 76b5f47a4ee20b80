package io.ringtable.broker.admin.http;

import io.ringtable.broker.access.Identity;
import java.util.List;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.Authentication;

/** Is a user who has logged in over HTTP. Thread: any; immutable. */
public final class HttpUser extends AbstractAuthenticationToken {
    private static final long serialVersionUID = 1L;

    private final transient Identity identity;

    HttpUser(Identity identity) {
        super(List.of());
        this.identity = identity;
        setAuthenticated(true);
    }

    /** Returns who asks; {@link Identity#ANONYMOUS} if nobody has logged in. @param login null if there was none */
    public static Identity identityOf(Authentication login) {
        return login instanceof HttpUser user ? user.identity : Identity.ANONYMOUS;
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
