package io.ringtable.broker.admin.console;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.admin.http.BrowserGuard;
import io.ringtable.broker.admin.http.HttpFilters;
import io.ringtable.broker.admin.http.HttpLogin;
import io.ringtable.broker.admin.http.HttpUser;
import io.ringtable.broker.config.ConsoleProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.login.WaitingLogins;
import io.ringtable.broker.management.Management;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.util.List;
import org.springframework.http.HttpMethod;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.authorization.SingleResultAuthorizationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.access.intercept.RequestMatcherDelegatingAuthorizationManager;
import org.springframework.security.web.authentication.logout.LogoutFilter;
import org.springframework.security.web.authentication.logout.SecurityContextLogoutHandler;
import org.springframework.security.web.authentication.logout.SimpleUrlLogoutSuccessHandler;
import org.springframework.security.web.authentication.session.ChangeSessionIdAuthenticationStrategy;
import org.springframework.security.web.authentication.session.CompositeSessionAuthenticationStrategy;
import org.springframework.security.web.authentication.session.SessionAuthenticationStrategy;
import org.springframework.security.web.context.DelegatingSecurityContextRepository;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.context.SecurityContextRepository;
import org.springframework.security.web.context.request.async.WebAsyncManagerIntegrationFilter;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfAuthenticationStrategy;
import org.springframework.security.web.csrf.CsrfFilter;
import org.springframework.security.web.csrf.CsrfLogoutHandler;
import org.springframework.security.web.csrf.CsrfTokenRepository;
import org.springframework.security.web.header.writers.ContentSecurityPolicyHeaderWriter;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.session.DisableEncodeUrlFilter;
import org.springframework.security.web.session.SessionManagementFilter;
import org.springframework.security.web.util.matcher.AnyRequestMatcher;
import org.springframework.security.web.util.matcher.DispatcherTypeRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;

/**
 * Says who may see the console, and what its pages may do in a browser. Before a login there is no session, so that
 * nobody fills the memory with sessions. Forms carry a token against forgery in a cookie and in the page.
 */
final class ConsoleSecurity {
    /** Begins the paths of scripts, styles and pictures, which are for everybody. */
    static final String ASSETS = ConsoleConfiguration.BASE + "/assets/";

    private static final String LOGOUT = ConsoleConfiguration.BASE + "/logout";

    /** Lets pages use nothing but what the broker serves; neither scripts nor styles may stand in a page. */
    static final String CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self';"
            + " img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    private final PathPatternRequestMatcher.Builder paths = PathPatternRequestMatcher.withDefaults();
    private final CsrfTokenRepository tokens = tokens();
    private final HttpSessionSecurityContextRepository sessions = sessions();
    private final SecurityContextRepository users =
            new DelegatingSecurityContextRepository(sessions, new RequestAttributeSecurityContextRepository());
    /** Gives a login another session and another token than the visitor had before. */
    private final SessionAuthenticationStrategy newSession = new CompositeSessionAuthenticationStrategy(
            List.of(new ChangeSessionIdAuthenticationStrategy(), new CsrfAuthenticationStrategy(tokens)));

    private final WaitingLogins logins;
    private final HttpLogin login;
    private final ConsoleEntry entry;
    private final ConsoleProperties console;
    private final Management management;

    ConsoleSecurity(
            WaitingLogins logins, SecurityProperties security, ConsoleProperties console, Management management) {
        this.logins = logins;
        this.login = new HttpLogin(logins, security);
        this.entry = new ConsoleEntry(logins::isNeeded);
        this.console = console;
        this.management = management;
    }

    private static CsrfTokenRepository tokens() {
        CookieCsrfTokenRepository tokens = new CookieCsrfTokenRepository();
        tokens.setCookiePath("/");
        tokens.setCookieCustomizer(cookie -> cookie.sameSite("Lax"));
        return tokens;
    }

    private static HttpSessionSecurityContextRepository sessions() {
        HttpSessionSecurityContextRepository sessions = new HttpSessionSecurityContextRepository();
        sessions.setDisableUrlRewriting(true);
        return sessions;
    }

    SecurityFilterChain chain() {
        return new DefaultSecurityFilterChain(
                new OrRequestMatcher(
                        paths.matcher("/"),
                        paths.matcher(ConsoleConfiguration.BASE),
                        paths.matcher(ConsoleConfiguration.BASE + "/**")),
                new DisableEncodeUrlFilter(),
                new WebAsyncManagerIntegrationFilter(),
                new ConsoleSession(console, Clock.systemUTC()),
                new SecurityContextHolderFilter(users),
                new BrowserGuard(logins::isNeeded),
                HttpFilters.headers(
                        new ContentSecurityPolicyHeaderWriter(CONTENT_SECURITY_POLICY),
                        new ReferrerPolicyHeaderWriter(ReferrerPolicy.SAME_ORIGIN)),
                ownForms(),
                logout(),
                loginForm(),
                HttpFilters.users(entry),
                HttpFilters.anonymous(),
                new SessionManagementFilter(sessions, newSession),
                HttpFilters.refusals(entry, entry),
                new AuthorizationFilter(access()));
    }

    /** Refuses forms that the broker has not made for this browser. */
    private Filter ownForms() {
        CsrfFilter filter = new CsrfFilter(tokens);
        filter.setAccessDeniedHandler(entry);
        return filter;
    }

    private Filter logout() {
        SecurityContextLogoutHandler session = new SecurityContextLogoutHandler();
        session.setSecurityContextRepository(users);
        SimpleUrlLogoutSuccessHandler bye = new SimpleUrlLogoutSuccessHandler();
        bye.setDefaultTargetUrl(ConsoleEntry.LOGIN + "?bye");
        LogoutFilter filter = new LogoutFilter(bye, new CsrfLogoutHandler(tokens), session);
        filter.setLogoutRequestMatcher(paths.matcher(HttpMethod.POST, LOGOUT));
        return filter;
    }

    private Filter loginForm() {
        ConsoleEntry.LoginForm filter = new ConsoleEntry.LoginForm(login);
        filter.setRequiresAuthenticationRequestMatcher(paths.matcher(HttpMethod.POST, ConsoleEntry.LOGIN));
        filter.setAuthenticationDetailsSource(HttpLogin::originOf);
        filter.setSessionAuthenticationStrategy(newSession);
        filter.setSecurityContextRepository(users);
        filter.setAuthenticationSuccessHandler(entry);
        filter.setAuthenticationFailureHandler(entry);
        return filter;
    }

    private AuthorizationManager<HttpServletRequest> access() {
        return RequestMatcherDelegatingAuthorizationManager.builder()
                .add(
                        new DispatcherTypeRequestMatcher(DispatcherType.ERROR),
                        SingleResultAuthorizationManager.permitAll())
                .add(
                        new DispatcherTypeRequestMatcher(DispatcherType.FORWARD),
                        SingleResultAuthorizationManager.permitAll())
                .add(paths.matcher("/"), SingleResultAuthorizationManager.permitAll())
                .add(paths.matcher(ConsoleEntry.LOGIN), SingleResultAuthorizationManager.permitAll())
                .add(paths.matcher(ASSETS + "**"), SingleResultAuthorizationManager.permitAll())
                .add(
                        AnyRequestMatcher.INSTANCE,
                        (user, request) -> new AuthorizationDecision(isLoggedIn(user.get())
                                && management
                                        .roleOf(HttpUser.identityOf(user.get()))
                                        .includes(Role.VIEWER)))
                .build();
    }

    private boolean isLoggedIn(Authentication user) {
        return !logins.isNeeded() || HttpUser.isStanding(user);
    }
}
