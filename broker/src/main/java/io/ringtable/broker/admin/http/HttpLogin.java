package io.ringtable.broker.admin.http;

import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.login.WaitingLogins;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.authentication.AuthenticationConverter;
import org.springframework.security.web.authentication.www.BasicAuthenticationConverter;

/**
 * Logs clients of HTTP in: with a name and a password (RFC 7617), or with a bearer token (RFC 6750). Users and tokens
 * are those of AMQP.
 * <p>
 * Thread: HTTP's, which waits for the check. Failure: a refusal that says why, and never the secret.
 */
public final class HttpLogin implements AuthenticationManager, AuthenticationConverter {
    private static final String BEARER = "bearer ";

    private final BasicAuthenticationConverter basic = new BasicAuthenticationConverter(Origin::of);
    private final WaitingLogins logins;
    private final SecurityProperties security;

    public HttpLogin(WaitingLogins logins, SecurityProperties security) {
        this.logins = logins;
        this.security = security;
    }

    /** Says where a login comes from: the details that {@link #authenticate} needs. */
    public static Object originOf(HttpServletRequest request) {
        return Origin.of(request);
    }

    /** Says where a login comes from, and whether others can read its secret on the way. */
    private record Origin(InetAddress address, boolean isPrivate) {
        static Origin of(HttpServletRequest request) {
            try {
                InetAddress peer = InetAddress.getByName(request.getRemoteAddr()); // an address: no look-up
                return new Origin(peer, request.isSecure() || peer.isLoopbackAddress());
            } catch (UnknownHostException e) {
                throw new BadCredentialsException("the peer has no address", e);
            }
        }
    }

    /** Carries a bearer token to the check. */
    private static final class BearerToken extends UsernamePasswordAuthenticationToken {
        private static final long serialVersionUID = 1L;

        BearerToken(String token, Origin origin) {
            super("", token);
            setDetails(origin);
        }
    }

    /** Reads what the request brings; null if it brings no login, and where nobody logs in. */
    @Override
    public Authentication convert(HttpServletRequest request) {
        if (!logins.isNeeded()) {
            return null;
        }
        String header = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (header != null && header.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
            return new BearerToken(header.substring(BEARER.length()).strip(), Origin.of(request));
        }
        return basic.convert(request);
    }

    @Override
    public Authentication authenticate(Authentication login) throws AuthenticationException {
        Origin origin = (Origin) login.getDetails();
        if (!origin.isPrivate() && !security.allowPlainRemote()) {
            throw new BadCredentialsException(
                    "a login from another machine needs TLS, as the network sees its secret otherwise: set server.ssl,"
                            + " or ringtable.security.allow-plain-remote=true");
        }
        String secret = String.valueOf(login.getCredentials());
        WaitingLogins.Result result = login instanceof BearerToken
                ? logins.withToken(origin.address(), secret)
                : logins.withPassword(origin.address(), login.getName(), secret);
        if (result.isPutOff()) {
            throw new LockedException(result.reason());
        }
        if (result.identity() == null) {
            throw new BadCredentialsException(result.reason());
        }
        return new HttpUser(result.identity(), result.standing());
    }
}
