package io.ringtable.broker.admin.http;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.config.AmqpProperties;
import io.ringtable.broker.config.SecurityProperties;
import io.ringtable.broker.login.WaitingLogins;
import io.ringtable.broker.management.Management;
import jakarta.servlet.DispatcherType;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.ExceptionTranslationFilter;
import org.springframework.security.web.authentication.AuthenticationFilter;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;

/**
 * Says who may ask what over HTTP. Liveness and readiness are for everybody, since those who ask for them have no
 * login. Status and metrics are for the role viewer. Each operation decides for itself.
 */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
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

    @Bean
    SecurityFilterChain httpSecurity(
            HttpSecurity http, WaitingLogins logins, SecurityProperties security, Management management) {
        HttpRefusals refusals = new HttpRefusals(logins.takesTokens());
        http.csrf(AbstractHttpConfigurer::disable) // the guard below sees what a browser sends for others
                .logout(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .exceptionHandling(
                        errors -> errors.authenticationEntryPoint(refusals).accessDeniedHandler(refusals))
                .addFilterAfter(new BrowserGuard(logins::isNeeded), SecurityContextHolderFilter.class)
                .authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(
                                DispatcherType.ASYNC, DispatcherType.ERROR)
                        .permitAll()
                        .requestMatchers("/livez", "/readyz")
                        .permitAll()
                        .requestMatchers(ManagementController.BASE + "/**")
                        .access((login, request) ->
                                new AuthorizationDecision(!logins.isNeeded() || isUser(login.get())))
                        .anyRequest()
                        .access((login, request) -> new AuthorizationDecision(management
                                        .roleOf(HttpUser.identityOf(login.get()))
                                        .includes(Role.VIEWER)
                                && (!logins.isNeeded() || isUser(login.get())))));
        HttpLogin login = new HttpLogin(logins, security);
        AuthenticationFilter filter = new AuthenticationFilter(login, login);
        filter.setSuccessHandler((request, response, user) -> {}); // the request goes on
        filter.setFailureHandler(refusals);
        http.addFilterBefore(filter, ExceptionTranslationFilter.class); // which answers who has no login at all
        return http.build();
    }

    private static boolean isUser(Authentication login) {
        return login instanceof HttpUser;
    }

    /** Lets names of addresses pass in paths, whatever their characters: no path of ours leads to a file. */
    @Bean
    HttpFirewall httpFirewall() {
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
