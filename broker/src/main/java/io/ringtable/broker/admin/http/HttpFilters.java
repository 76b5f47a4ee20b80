package io.ringtable.broker.admin.http;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.access.ExceptionTranslationFilter;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.header.HeaderWriter;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.security.web.header.writers.CacheControlHeadersWriter;
import org.springframework.security.web.header.writers.HstsHeaderWriter;
import org.springframework.security.web.header.writers.XContentTypeOptionsHeaderWriter;
import org.springframework.security.web.header.writers.XXssProtectionHeaderWriter;
import org.springframework.security.web.header.writers.frameoptions.XFrameOptionsHeaderWriter;
import org.springframework.security.web.savedrequest.NullRequestCache;
import org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestFilter;

/**
 * Makes those of Spring Security's filters that the operations and the console have in common. Spring's own
 * configuration, {@code HttpSecurity}, makes the same ones in the same order, and each start would pay for it (ADR 44).
 * A test holds our chains against Spring's.
 */
public final class HttpFilters {
    private HttpFilters() {}

    /** Writes what Spring Security tells browsers with every answer. @param more headers, which follow */
    public static Filter headers(HeaderWriter... more) {
        List<HeaderWriter> writers = new ArrayList<>(List.of(
                new XContentTypeOptionsHeaderWriter(),
                new XXssProtectionHeaderWriter(),
                new CacheControlHeadersWriter(),
                new HstsHeaderWriter(),
                new XFrameOptionsHeaderWriter(XFrameOptionsHeaderWriter.XFrameOptionsMode.DENY)));
        writers.addAll(List.of(more));
        return new HeaderWriterFilter(writers);
    }

    /** Lets a request name its user. @param entry asks for a login */
    public static Filter users(AuthenticationEntryPoint entry) {
        SecurityContextHolderAwareRequestFilter filter = new SecurityContextHolderAwareRequestFilter();
        filter.setAuthenticationEntryPoint(entry);
        try {
            filter.afterPropertiesSet();
        } catch (ServletException e) {
            throw new IllegalStateException(e);
        }
        return filter;
    }

    /** Marks requests of whom nobody knows. */
    public static Filter anonymous() {
        return new AnonymousAuthenticationFilter(UUID.randomUUID().toString());
    }

    /**
     * Answers requests that the filters behind it refuse. Remembers none of them for the time after a login: that would
     * begin a session for everybody who asks.
     *
     * @param entry asks for a login
     * @param denied answers a user who may not
     */
    public static Filter refusals(AuthenticationEntryPoint entry, AccessDeniedHandler denied) {
        ExceptionTranslationFilter filter = new ExceptionTranslationFilter(entry, new NullRequestCache());
        filter.setAccessDeniedHandler(denied);
        return filter;
    }
}
