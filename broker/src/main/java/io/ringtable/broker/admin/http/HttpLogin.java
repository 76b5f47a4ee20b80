package io.ringtable.broker.admin.http;

import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.login.WaitingLogins;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.cert.X509Certificate;
import java.util.Locale;
import java.util.Optional;
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
 * Logs clients of HTTP in: with name and password (RFC 7617), with a bearer token (RFC 6750), or with the certificate
 * that TLS has verified. Users, tokens and names of certificates are those of AMQP.
 * <p>
 * Thread: HTTP's, which waits for the check. Failure: a refusal that says why, and never the secret.
 */
public final class HttpLogin implements AuthenticationManager, AuthenticationConverter {
    private static final String BEARER = "bearer ";
    private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

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

    /** Makes a login of a bearer token that the request brings in a form. */
    public static Authentication ofToken(HttpServletRequest request, String token) {
        return new BearerToken(token.strip(), Origin.of(request));
    }

    /**
     * Makes a login of the certificate that the client has shown to TLS.
     *
     * @throws BadCredentialsException if it has shown none
     */
    public static Authentication ofCertificate(HttpServletRequest request) {
        return certificate(request)
                .map(shown -> new ClientCertificate(shown, Origin.of(request)))
                .orElseThrow(() -> new BadCredentialsException("the client has shown no certificate"));
    }

    /** Returns the certificate that the client has shown; empty unless {@code server.ssl.client-auth} asks for one. */
    public static Optional<X509Certificate> certificate(HttpServletRequest request) {
        return request.getAttribute(CERTIFICATES) instanceof X509Certificate[] shown && shown.length > 0
                ? Optional.of(shown[0])
                : Optional.empty();
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

    /** Carries a certificate to the search for its user. */
    private static final class ClientCertificate extends UsernamePasswordAuthenticationToken {
        private static final long serialVersionUID = 1L;

        private final transient X509Certificate certificate;

        ClientCertificate(X509Certificate certificate, Origin origin) {
            super("", "");
            this.certificate = certificate;
            setDetails(origin);
        }
    }

    /**
     * Reads what the request brings; null if it brings no login, and where nobody logs in. A header counts before a
     * certificate, and a certificate that is no user's does not count.
     */
    @Override
    public Authentication convert(HttpServletRequest request) {
        if (!logins.isNeeded()) {
            return null;
        }
        String header = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (header == null) {
            return certificate(request).flatMap(logins::userOf).isPresent() ? ofCertificate(request) : null;
        }
        if (header.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
            return ofToken(request, header.substring(BEARER.length()));
        }
        return basic.convert(request);
    }

    @Override
    public Authentication authenticate(Authentication login) throws AuthenticationException {
        if (login instanceof ClientCertificate shown) {
            return user(logins.withCertificate(shown.certificate));
        }
        Origin origin = (Origin) login.getDetails();
        if (!origin.isPrivate() && !security.allowPlainRemote()) {
            throw new BadCredentialsException(
                    "a login from another machine needs TLS, as the network sees its secret otherwise: set server.ssl,"
                            + " or ringtable.security.allow-plain-remote=true");
        }
        String secret = String.valueOf(login.getCredentials());
        return user(
                login instanceof BearerToken
                        ? logins.withToken(origin.address(), secret)
                        : logins.withPassword(origin.address(), login.getName(), secret));
    }

    private static HttpUser user(WaitingLogins.Result result) {
        if (result.isPutOff()) {
            throw new LockedException(result.reason());
        }
        if (result.identity() == null) {
            throw new BadCredentialsException(result.reason());
        }
        return new HttpUser(result.identity(), result.standing());
    }
}
