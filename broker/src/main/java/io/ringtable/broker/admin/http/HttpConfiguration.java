package io.ringtable.broker.admin.http;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.login.WaitingLogins;
import io.ringtable.broker.management.Management;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.authorization.SingleResultAuthorizationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.access.intercept.RequestMatcherDelegatingAuthorizationManager;
import org.springframework.security.web.authentication.AuthenticationFilter;
import org.springframework.security.web.authentication.session.ChangeSessionIdAuthenticationStrategy;
import org.springframework.security.web.context.AbstractSecurityWebApplicationInitializer;
import org.springframework.security.web.context.NullSecurityContextRepository;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.context.request.async.WebAsyncManagerIntegrationFilter;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.session.DisableEncodeUrlFilter;
import org.springframework.security.web.session.SessionManagementFilter;
import org.springframework.security.web.util.matcher.AnyRequestMatcher;
import org.springframework.security.web.util.matcher.DispatcherTypeRequestMatcher;
import org.springframework.validation.Validator;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Says who may ask what over HTTP. Liveness and readiness are for everybody, since those who ask for them have no
 * login. Status and metrics are for the role viewer. Each operation decides for itself.
 */
@Configuration(proxyBeanMethods = false)
public class HttpConfiguration {
    /** Lets a body of the largest message pass, whose bytes are encoded as text. */
    private static final int BODY_GROWTH = 2;

    @Bean
    ManagementController managementController(Management management, AmqpProperties amqp) {
        return new ManagementController(management, amqp.maxMessageSize().toBytes() * BODY_GROWTH);
    }

    @Bean
    AnswerConverter answerConverter() {
        return new AnswerConverter();
    }

    /** Spares a start the validator for bodies of requests: operations check theirs themselves. */
    @Bean
    WebMvcConfigurer withoutValidator() {
        return new WebMvcConfigurer() {
            @Override
            public Validator getValidator() {
                return Validator.forType(Void.class, (none, errors) -> {});
            }
        };
    }

    /** Gives each request to the first chain that is for it. */
    @Bean(AbstractSecurityWebApplicationInitializer.DEFAULT_FILTER_NAME)
    FilterChainProxy httpFilters(List<SecurityFilterChain> chains) {
        FilterChainProxy proxy = new FilterChainProxy(chains);
        proxy.setFirewall(firewall());
        return proxy;
    }

    /** Filters all that no other chain filters. There are no forms to forge: the guard sees what a browser sends. */
    @Bean
    SecurityFilterChain httpSecurity(WaitingLogins logins, SecurityProperties security, Management management) {
        HttpRefusals refusals = new HttpRefusals(logins.takesTokens());
        HttpLogin login = new HttpLogin(logins, security);
        AuthenticationFilter loggingIn = new AuthenticationFilter(login, login);
        loggingIn.setSuccessHandler((request, response, user) -> {}); // the request goes on
        loggingIn.setFailureHandler(refusals);
        return new DefaultSecurityFilterChain(
                AnyRequestMatcher.INSTANCE,
                new DisableEncodeUrlFilter(),
                new WebAsyncManagerIntegrationFilter(),
                new SecurityContextHolderFilter(new RequestAttributeSecurityContextRepository()), // no session
                new BrowserGuard(logins::isNeeded),
                HttpFilters.headers(),
                HttpFilters.users(refusals),
                HttpFilters.anonymous(),
                new SessionManagementFilter(
                        new NullSecurityContextRepository(), new ChangeSessionIdAuthenticationStrategy()),
                loggingIn,
                HttpFilters.refusals(refusals, refusals), // also of who has no login at all
                new AuthorizationFilter(access(logins, management)));
    }

    private static AuthorizationManager<HttpServletRequest> access(WaitingLogins logins, Management management) {
        PathPatternRequestMatcher.Builder paths = PathPatternRequestMatcher.withDefaults();
        return RequestMatcherDelegatingAuthorizationManager.builder()
                .add(
                        new DispatcherTypeRequestMatcher(DispatcherType.ASYNC),
                        SingleResultAuthorizationManager.permitAll())
                .add(
                        new DispatcherTypeRequestMatcher(DispatcherType.ERROR),
                        SingleResultAuthorizationManager.permitAll())
                .add(paths.matcher("/livez"), SingleResultAuthorizationManager.permitAll())
                .add(paths.matcher("/readyz"), SingleResultAuthorizationManager.permitAll())
                .add(
                        paths.matcher(ManagementController.BASE + "/**"),
                        (login, request) -> new AuthorizationDecision(!logins.isNeeded() || isUser(login.get())))
                .add(
                        AnyRequestMatcher.INSTANCE,
                        (login, request) -> new AuthorizationDecision(management
                                        .roleOf(HttpUser.identityOf(login.get()))
                                        .includes(Role.VIEWER)
                                && (!logins.isNeeded() || isUser(login.get()))))
                .build();
    }

    private static boolean isUser(Authentication login) {
        return login instanceof HttpUser;
    }

    /** Lets names of addresses pass in paths, whatever their characters: no path of ours leads to a file. */
    private static HttpFirewall firewall() {
        StrictHttpFirewall firewall = new StrictHttpFirewall();
        firewall.setAllowUrlEncodedSlash(true);
        firewall.setAllowUrlEncodedDoubleSlash(true);
        firewall.setAllowUrlEncodedPercent(true);
        firewall.setAllowUrlEncodedPeriod(true);
        firewall.setAllowSemicolon(true);
        firewall.setAllowBackSlash(true);
        return firewall;
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> slashesInNames() {
        return tomcat ->
                tomcat.addConnectorCustomizers(connector -> connector.setEncodedSolidusHandling("passthrough"));
    }
}
