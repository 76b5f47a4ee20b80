package io.ringtable.broker.admin.http;

import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.Problem;
import io.ringtable.broker.message.Printable;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.authentication.AuthenticationFailureHandler;

/** Writes why a request is refused before any operation sees it, as operations write it. Thread: HTTP's. */
final class HttpRefusals implements AuthenticationEntryPoint, AuthenticationFailureHandler, AccessDeniedHandler {
    private static final String RETRY_SECONDS = "10";

    private final boolean takesTokens;

    /** @param takesTokens whether clients hear that a bearer token would do */
    HttpRefusals(boolean takesTokens) {
        this.takesTokens = takesTokens;
    }

    /** Answers a request without a login. */
    @Override
    public void commence(HttpServletRequest request, HttpServletResponse response, AuthenticationException none)
            throws IOException {
        challenge(response, "RT-7501", "this needs a login: send a name and a password, or a bearer token");
    }

    /** Answers a request with a login that is wrong. */
    @Override
    public void onAuthenticationFailure(
            HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
            throws IOException {
        if (failure instanceof LockedException) {
            response.setHeader(HttpHeaders.RETRY_AFTER, RETRY_SECONDS);
            write(response, HttpStatus.TOO_MANY_REQUESTS, "RT-7503", failure.getMessage());
        } else {
            challenge(response, "RT-7502", "the login is refused: " + failure.getMessage());
        }
    }

    /** Answers a user who may not. */
    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, AccessDeniedException denied)
            throws IOException {
        write(
                response,
                HttpStatus.FORBIDDEN,
                "RT-7504",
                "user '" + Printable.value(request.getRemoteUser()) + "' may not see " + request.getRequestURI()
                        + ": it needs the role viewer (ringtable.security.roles)");
    }

    private void challenge(HttpServletResponse response, String code, String text) throws IOException {
        response.addHeader(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"Ringtable\", charset=\"UTF-8\"");
        if (takesTokens) {
            response.addHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"Ringtable\"");
        }
        write(response, HttpStatus.UNAUTHORIZED, code, text);
    }

    static void write(HttpServletResponse response, HttpStatus status, String code, String text) throws IOException {
        response.setStatus(status.value());
        response.setContentType(MediaType.APPLICATION_JSON_VALUE);
        response.getOutputStream().write(ManagementJson.MAPPER.writeValueAsBytes(new Problem(code, text)));
    }
}
