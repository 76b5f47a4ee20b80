package io.ringtable.broker.admin.console;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.admin.StatusController;
import io.ringtable.broker.admin.http.BrowserGuard;
import io.ringtable.broker.admin.http.HttpLogin;
import io.ringtable.broker.admin.http.HttpUser;
import io.ringtable.broker.config.ConsoleProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.login.WaitingLogins;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.metrics.CommitMeters;
import io.ringtable.broker.metrics.StatusSampler;
import jakarta.servlet.DispatcherType;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.CacheControl;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Serves the console below {@value #BASE}: who may see it, and what its pages may do in a browser. Before a login there
 * is no session, so that nobody fills the memory with sessions; forms carry a token against forgery in a cookie and in
 * the page.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "ringtable.console.enabled", matchIfMissing = true)
public class ConsoleConfiguration {
    static final String BASE = "/console";

    private static final String ASSETS = BASE + "/assets/";

    /** Lets pages use nothing but what the broker serves; neither scripts nor styles may stand in a page. */
    private static final String CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self';"
            + " img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    @Bean
    @Order(0)
    SecurityFilterChain consoleSecurity(
            HttpSecurity http,
            WaitingLogins logins,
            SecurityProperties security,
            ConsoleProperties console,
            Management management) {
        HttpLogin login = new HttpLogin(logins, security);
        ConsoleEntry entry = new ConsoleEntry(logins::isNeeded);
        CookieCsrfTokenRepository tokens = new CookieCsrfTokenRepository();
        tokens.setCookiePath("/");
        tokens.setCookieCustomizer(cookie -> cookie.sameSite("Lax"));
        http.securityMatcher("/", BASE, BASE + "/**")
                .authenticationManager(login)
                .requestCache(AbstractHttpConfigurer::disable)
                .csrf(csrf -> csrf.csrfTokenRepository(tokens))
                .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.IF_REQUIRED))
                .formLogin(form -> form.loginPage(BASE + "/login")
                        .authenticationDetailsSource(HttpLogin::originOf)
                        .successHandler(entry)
                        .failureHandler(entry))
                .logout(logout -> logout.logoutUrl(BASE + "/logout").logoutSuccessUrl(BASE + "/login?bye"))
                .exceptionHandling(
                        errors -> errors.authenticationEntryPoint(entry).accessDeniedHandler(entry))
                .addFilterBefore(new ConsoleSession(console, Clock.systemUTC()), SecurityContextHolderFilter.class)
                .addFilterAfter(new BrowserGuard(logins::isNeeded), SecurityContextHolderFilter.class)
                .headers(headers -> headers.contentSecurityPolicy(
                                policy -> policy.policyDirectives(CONTENT_SECURITY_POLICY))
                        .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.SAME_ORIGIN)))
                .authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(
                                DispatcherType.ERROR, DispatcherType.FORWARD)
                        .permitAll()
                        .requestMatchers("/", BASE + "/login", ASSETS + "**")
                        .permitAll()
                        .anyRequest()
                        .access((user, request) ->
                                new AuthorizationDecision((!logins.isNeeded() || HttpUser.isStanding(user.get()))
                                        && management
                                                .roleOf(HttpUser.identityOf(user.get()))
                                                .includes(Role.VIEWER))));
        return http.build();
    }

    @Bean
    WebMvcConfigurer consoleAssets() {
        return new WebMvcConfigurer() {
            @Override
            public void addResourceHandlers(ResourceHandlerRegistry registry) {
                registry.setOrder(Ordered.HIGHEST_PRECEDENCE); // before the page that says that there is no such page
                registry.addResourceHandler(ASSETS + "**")
                        .addResourceLocations("classpath:/io/ringtable/broker/console/assets/")
                        .setCacheControl(CacheControl.noCache()); // kept, and asked for anew: an update counts at once
            }
        };
    }

    @Bean
    ConsolePages consolePages(Management management, WaitingLogins logins, ObjectProvider<BuildProperties> build) {
        BuildProperties properties = build.getIfAvailable();
        return new ConsolePages(
                management, logins::isNeeded, properties == null ? "(not packaged)" : properties.getVersion());
    }

    @Bean
    EntryPages consoleEntryPages(ConsolePages pages) {
        return new EntryPages(pages);
    }

    @Bean
    OverviewPages consoleOverviewPages(
            ConsolePages pages, StatusController status, StatusSampler sampler, CommitMeters meters) {
        return new OverviewPages(pages, status, sampler, meters);
    }

    @Bean
    AddressPages consoleAddressPages(ConsolePages pages) {
        return new AddressPages(pages);
    }

    @Bean
    SubscriptionPages consoleSubscriptionPages(ConsolePages pages) {
        return new SubscriptionPages(pages);
    }

    @Bean
    ConnectionPages consoleConnectionPages(ConsolePages pages) {
        return new ConnectionPages(pages);
    }

    @Bean
    MessagePages consoleMessagePages(ConsolePages pages) {
        return new MessagePages(pages);
    }

    @Bean
    DeadLetterPages consoleDeadLetterPages(ConsolePages pages) {
        return new DeadLetterPages(pages);
    }

    @Bean
    JobPages consoleJobPages(ConsolePages pages) {
        return new JobPages(pages);
    }
}
