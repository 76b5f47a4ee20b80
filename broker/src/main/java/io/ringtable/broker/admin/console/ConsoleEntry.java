package io.ringtable.broker.admin.console;

import io.ringtable.broker.admin.http.HttpLogin;
import io.ringtable.broker.admin.http.HttpUser;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.authentication.AuthenticationFailureHandler;
import org.springframework.security.web.authentication.AuthenticationSuccessHandler;
import org.springframework.security.web.authentication.UsernamePasswordAuthenticationFilter;
import org.springframework.security.web.csrf.CsrfException;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Leads a browser to the login and from there to the page that it asked for. Parts of pages that refresh themselves are
 * answered with a header by which htmx loads the whole page anew.
 * <p>
 * Thread: HTTP's.
 */
final class ConsoleEntry
        implements AuthenticationEntryPoint,
                AuthenticationSuccessHandler,
                AuthenticationFailureHandler,
                AccessDeniedHandler {
    static final String LOGIN = ConsoleConfiguration.BASE + "/login";

    /** Names the page that the browser asked for. */
    static final String TARGET = "to";

    /**
     * Logs a browser in by the form that its user has sent. The form has a name and a password, a bearer token, or the
     * button for the browser's certificate.
     */
    static final class LoginForm extends UsernamePasswordAuthenticationFilter {
        /** Names the way, which each form but the first says. */
        static final String WAY = "way";

        /** The way of a bearer token, and the name of its field. */
        static final String TOKEN = "token";

        static final String CERTIFICATE = "certificate";

        LoginForm(AuthenticationManager login) {
            super(login);
        }

        @Override
        public Authentication attemptAuthentication(HttpServletRequest request, HttpServletResponse response) {
            return switch (way(request)) {
                case TOKEN ->
                    getAuthenticationManager()
                            .authenticate(HttpLogin.ofToken(request, String.valueOf(request.getParameter(TOKEN))));
                case CERTIFICATE -> getAuthenticationManager().authenticate(HttpLogin.ofCertificate(request));
                default -> super.attemptAuthentication(request, response);
            };
        }

        /** Returns the way that a form says; empty for a name and a password. */
        static String way(HttpServletRequest request) {
            String way = request.getParameter(WAY);
            return way == null ? "" : way;
        }
    }

    private final BooleanSupplier isLoginNeeded;

    ConsoleEntry(BooleanSupplier isLoginNeeded) {
        this.isLoginNeeded = isLoginNeeded;
    }

    /** Asks for a login. */
    @Override
    public void commence(HttpServletRequest request, HttpServletResponse response, AuthenticationException none)
            throws IOException {
        UriComponentsBuilder login = UriComponentsBuilder.fromPath(request.getContextPath() + LOGIN);
        if (request.getAttribute(ConsoleSession.ENDED) != null) {
            login.queryParam("ended");
        }
        boolean isLive = request.getRequestURI().startsWith(request.getContextPath() + ConsoleSession.LIVE);
        if (request.getMethod().equals("GET") && !isLive) {
            String query = request.getQueryString();
            login.queryParam(TARGET, "{target}");
            send(
                    request,
                    response,
                    login.encode()
                            .buildAndExpand(request.getRequestURI()
                                            .substring(request.getContextPath().length())
                                    + (query == null ? "" : "?" + query))
                            .toUriString());
        } else {
            send(request, response, login.toUriString());
        }
    }

    @Override
    public void onAuthenticationSuccess(HttpServletRequest request, HttpServletResponse response, Authentication user)
            throws IOException {
        send(request, response, request.getContextPath() + targetOf(request));
    }

    /** Returns the page of the console that the browser asked for; the first page if it names another. */
    static String targetOf(HttpServletRequest request) {
        String target = request.getParameter(TARGET);
        boolean isOurs = target != null
                && (target.equals(ConsoleConfiguration.BASE)
                        || target.startsWith(ConsoleConfiguration.BASE + "/")
                        || target.startsWith(ConsoleConfiguration.BASE + "?"))
                && target.chars().allMatch(c -> c > ' ' && c < 0x7F && c != '\\');
        return isOurs ? target : ConsoleConfiguration.BASE;
    }

    @Override
    public void onAuthenticationFailure(
            HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
            throws IOException {
        send(
                request,
                response,
                UriComponentsBuilder.fromPath(request.getContextPath() + LOGIN)
                        .queryParam(
                                "refused", failure instanceof LockedException ? "later" : reasonOf(request, failure))
                        .queryParam(TARGET, "{target}")
                        .encode()
                        .buildAndExpand(targetOf(request))
                        .toUriString());
    }

    private static String reasonOf(HttpServletRequest request, AuthenticationException failure) {
        if (String.valueOf(failure.getMessage()).contains("needs TLS")) {
            return "plain";
        }
        String way = LoginForm.way(request);
        return way.equals(LoginForm.TOKEN) || way.equals(LoginForm.CERTIFICATE) ? way : "wrong";
    }

    /** Answers a user who may not see a page, and a form whose token is not that of this browser. */
    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, AccessDeniedException denied)
            throws IOException, ServletException {
        Authentication user = SecurityContextHolder.getContext().getAuthentication();
        if (isLoginNeeded.getAsBoolean() && !HttpUser.isStanding(user)) {
            HttpSession session = request.getSession(false);
            if (session != null) {
                session.invalidate(); // its user is gone, or has another password
                request.setAttribute(ConsoleSession.ENDED, true);
            }
            commence(request, response, null); // the login ended while the page was open
            return;
        }
        request.setAttribute(EntryPages.FORGED, denied instanceof CsrfException);
        response.setStatus(HttpStatus.FORBIDDEN.value());
        request.getRequestDispatcher(EntryPages.DENIED).forward(request, response);
    }

    private static void send(HttpServletRequest request, HttpServletResponse response, String url) throws IOException {
        if (request.getHeader("HX-Request") == null) {
            response.sendRedirect(url);
        } else {
            response.setStatus(HttpStatus.UNAUTHORIZED.value());
            response.setHeader("HX-Redirect", url);
        }
    }
}
