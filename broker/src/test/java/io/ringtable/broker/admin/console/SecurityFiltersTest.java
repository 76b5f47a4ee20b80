package io.ringtable.broker.admin.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.WithoutBuildProperties;
import io.ringtable.broker.admin.http.BrowserGuard;
import io.ringtable.broker.config.ConsoleProperties;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockServletContext;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.ExceptionTranslationFilter;
import org.springframework.security.web.authentication.AuthenticationFilter;
import org.springframework.security.web.authentication.UsernamePasswordAuthenticationFilter;
import org.springframework.security.web.context.AbstractSecurityWebApplicationInitializer;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;

/**
 * Holds that the filters before operations and console, which are made by hand, are those that Spring Security's own
 * configuration makes. Holds what a browser sees of them, too.
 */
@ExtendWith(WithoutBuildProperties.class)
class SecurityFiltersTest {
    private static final Pattern TOKEN = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"");
    private static final String SESSION = "RINGTABLE_CONSOLE";

    @TempDir
    static Path directory;

    private static ConsoleApplication broker;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @BeforeAll
    static void start() {
        broker = ConsoleApplication.withUsers(directory);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    /** Says by Spring Security's means what our chains are to do. */
    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    static class OfSpring {
        @Bean
        @Order(0)
        SecurityFilterChain console(HttpSecurity http) {
            ConsoleEntry entry = new ConsoleEntry(() -> true);
            ConsoleProperties bounds = new ConsoleProperties(true, Duration.ofMinutes(30), Duration.ofHours(12));
            return http.securityMatcher("/", "/console", "/console/**")
                    .authenticationManager(login -> login)
                    .requestCache(AbstractHttpConfigurer::disable)
                    .csrf(csrf -> csrf.csrfTokenRepository(new CookieCsrfTokenRepository()))
                    .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.IF_REQUIRED))
                    .formLogin(form -> form.loginPage(ConsoleEntry.LOGIN)
                            .successHandler(entry)
                            .failureHandler(entry))
                    .logout(logout -> logout.logoutUrl("/console/logout").logoutSuccessUrl("/console/login?bye"))
                    .exceptionHandling(
                            errors -> errors.authenticationEntryPoint(entry).accessDeniedHandler(entry))
                    .addFilterBefore(new ConsoleSession(bounds, Clock.systemUTC()), SecurityContextHolderFilter.class)
                    .addFilterAfter(new BrowserGuard(() -> true), SecurityContextHolderFilter.class)
                    .headers(headers -> headers.contentSecurityPolicy(
                                    policy -> policy.policyDirectives(ConsoleSecurity.CONTENT_SECURITY_POLICY))
                            .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.SAME_ORIGIN)))
                    .authorizeHttpRequests(
                            requests -> requests.dispatcherTypeMatchers(DispatcherType.ERROR, DispatcherType.FORWARD)
                                    .permitAll()
                                    .anyRequest()
                                    .authenticated())
                    .build();
        }

        @Bean
        SecurityFilterChain operations(HttpSecurity http) {
            return http.csrf(AbstractHttpConfigurer::disable)
                    .logout(AbstractHttpConfigurer::disable)
                    .requestCache(AbstractHttpConfigurer::disable)
                    .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                    .exceptionHandling(errors -> errors.authenticationEntryPoint((request, response, none) -> {})
                            .accessDeniedHandler((request, response, denied) -> {}))
                    .addFilterAfter(new BrowserGuard(() -> true), SecurityContextHolderFilter.class)
                    .addFilterBefore(
                            new AuthenticationFilter((AuthenticationManager) login -> login, request -> null),
                            ExceptionTranslationFilter.class)
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .build();
        }
    }

    private static List<SecurityFilterChain> ours() {
        return broker.bean(FilterChainProxy.class).getFilterChains();
    }

    @Test
    void hasTheFiltersThatSpringSecurityMakesInTheirOrder() throws Exception {
        try (AnnotationConfigWebApplicationContext spring = new AnnotationConfigWebApplicationContext()) {
            spring.setServletContext(new MockServletContext());
            spring.register(OfSpring.class);
            spring.refresh();
            List<SecurityFilterChain> theirs = spring.getBean(
                            AbstractSecurityWebApplicationInitializer.DEFAULT_FILTER_NAME, FilterChainProxy.class)
                    .getFilterChains();

            assertThat(ours()).hasSameSizeAs(theirs);
            for (int i = 0; i < theirs.size(); i++) {
                assertThat(classes(ours().get(i))).as("chain %d", i).isEqualTo(classes(theirs.get(i)));
                for (boolean isSecure : new boolean[] {false, true}) {
                    assertThat(headers(ours().get(i), isSecure)).isEqualTo(headers(theirs.get(i), isSecure));
                }
            }
        }
    }

    /** Our form of the login counts as the one that it extends. */
    private static List<Class<?>> classes(SecurityFilterChain chain) {
        return chain.getFilters().stream()
                .<Class<?>>map(filter -> filter instanceof ConsoleEntry.LoginForm
                        ? UsernamePasswordAuthenticationFilter.class
                        : filter.getClass())
                .toList();
    }

    /** Returns the headers that a chain gives every answer. */
    private static Map<String, List<String>> headers(SecurityFilterChain chain, boolean isSecure) throws Exception {
        Filter writer = chain.getFilters().stream()
                .filter(HeaderWriterFilter.class::isInstance)
                .findFirst()
                .orElseThrow();
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setSecure(isSecure);
        MockHttpServletResponse response = new MockHttpServletResponse();
        writer.doFilter(request, response, new MockFilterChain());
        Map<String, List<String>> headers = new TreeMap<>();
        response.getHeaderNames().forEach(name -> headers.put(name, response.getHeaders(name)));
        assertThat(headers.containsKey("Strict-Transport-Security")).isEqualTo(isSecure);
        return headers;
    }

    private static HttpResponse<String> ask(String user, String method, String path) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(broker.http().resolve(path)).method(method, BodyPublishers.noBody());
        if (user != null) {
            request.header("Authorization", "Basic " + HttpHeaders.encodeBasicAuth(user, user, null));
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    private static List<String> sessions(HttpResponse<String> answer) {
        return answer.headers().allValues("Set-Cookie").stream()
                .filter(cookie -> cookie.startsWith(SESSION + "="))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "nobody",
            value = {
                "nobody, GET, /livez, 200",
                "nobody, GET, /status, 401",
                "shop, GET, /status, 403",
                "viewer, GET, /status, 200",
                "viewer, GET, /nothing, 404",
                "viewer, GET, /actuator/prometheus, 200",
                "viewer, GET, /api/v1/addresses, 200",
                "viewer, GET, /api/v1/nothing, 404",
                "viewer, DELETE, /api/v1/addresses/a, 403",
                "nobody, GET, /, 302",
                "nobody, GET, /console, 302",
                "nobody, GET, /console/login, 200",
                "nobody, POST, /console/login, 302",
                "nobody, POST, /console/logout, 302",
                "nobody, GET, /console/assets/console.js, 200"
            })
    void tellsBrowsersWithEachAnswerWhatTheyMustNotDo(String user, String method, String path, int status)
            throws Exception {
        HttpResponse<String> answer = ask(user, method, path);

        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().map())
                .containsEntry("x-content-type-options", List.of("nosniff"))
                .containsEntry("x-frame-options", List.of("DENY"))
                .containsEntry("x-xss-protection", List.of("0"))
                .containsKey("cache-control");
        if (path.equals("/") || path.startsWith("/console")) {
            assertThat(answer.headers().map())
                    .containsEntry("content-security-policy", List.of(ConsoleSecurity.CONTENT_SECURITY_POLICY))
                    .containsEntry("referrer-policy", List.of("same-origin"));
        }
    }

    /** Else everybody who asks could fill the memory with sessions. */
    @ParameterizedTest
    @ValueSource(strings = {"/", "/console", "/console/addresses?filter=a", "/console/live/overview", "/status"})
    void beginsNoSessionBeforeALogin(String path) throws Exception {
        assertThat(sessions(ask(null, "GET", path))).isEmpty();
    }

    @Test
    void beginsNoSessionForALoginWithEachRequest() throws Exception {
        assertThat(sessions(ask("viewer", "GET", "/api/v1/addresses"))).isEmpty();
    }

    @Test
    void refusesAMethodThatNobodyKnows() throws Exception {
        assertThat(ask("viewer", "FETCH", "/status").statusCode()).isEqualTo(400);
        assertThat(ask(null, "FETCH", "/console/login").statusCode()).isEqualTo(400);
    }

    /** Somebody may have given the browser a session that he knows. */
    @Test
    void givesEachLoginASessionAndATokenThatNobodyKnew() throws Exception {
        CookieManager cookies = new CookieManager();
        HttpClient browser = HttpClient.newBuilder().cookieHandler(cookies).build();
        logIn(browser, "viewer");
        String session = value(cookies, SESSION);
        String token = value(cookies, "XSRF-TOKEN");

        logIn(browser, "operator");

        assertThat(value(cookies, SESSION)).isNotEqualTo(session);
        assertThat(value(cookies, "XSRF-TOKEN")).isNotEqualTo(token);
    }

    private static void logIn(HttpClient browser, String user) throws Exception {
        String form = "username=" + user + "&password=" + user + "&_csrf=" + token(get(browser, "/console/login"));
        browser.send(
                HttpRequest.newBuilder(broker.http().resolve("/console/login"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.ofString(form))
                        .build(),
                BodyHandlers.ofString());
        assertThat(get(browser, "/console")).contains("Log out", user);
    }

    private static String get(HttpClient browser, String path) throws Exception {
        return browser.send(HttpRequest.newBuilder(broker.http().resolve(path)).build(), BodyHandlers.ofString())
                .body();
    }

    private static String token(String page) {
        Matcher token = TOKEN.matcher(page);
        assertThat(token.find()).as(page).isTrue();
        return token.group(1);
    }

    private static String value(CookieManager cookies, String name) {
        return cookies.getCookieStore().getCookies().stream()
                .filter(cookie -> cookie.getName().equals(name))
                .map(HttpCookie::getValue)
                .findFirst()
                .orElseThrow();
    }
}
