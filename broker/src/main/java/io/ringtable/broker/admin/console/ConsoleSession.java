package io.ringtable.broker.admin.console;

import io.ringtable.broker.config.ConsoleProperties;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.time.Clock;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Ends logins that are idle or old. Figures that refresh themselves keep no login alive: else a page that somebody left
 * open would never end.
 * <p>
 * Thread: HTTP's.
 */
final class ConsoleSession extends OncePerRequestFilter {
    /** Begins the paths of what refreshes itself. */
    static final String LIVE = ConsoleConfiguration.BASE + "/live/";

    /** Is set at a request whose login has just ended. */
    static final String ENDED = ConsoleSession.class.getName() + ".ended";

    private static final String USED = ConsoleSession.class.getName() + ".used";

    private final ConsoleProperties bounds;
    private final Clock clock;

    ConsoleSession(ConsoleProperties bounds, Clock clock) {
        this.bounds = bounds;
        this.clock = clock;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        HttpSession session = request.getSession(false);
        if (session != null) {
            long now = clock.millis();
            Object used = session.getAttribute(USED);
            long lastUsed = used instanceof Long time ? time : session.getCreationTime();
            if (now - session.getCreationTime() >= bounds.sessionMax().toMillis()
                    || now - lastUsed >= bounds.sessionIdle().toMillis()) {
                session.invalidate();
                request.setAttribute(ENDED, true);
            } else if (used == null) {
                session.setMaxInactiveInterval((int) bounds.sessionIdle().toSeconds() + 1); // of a page that is closed
                session.setAttribute(USED, now);
            } else if (!request.getRequestURI().startsWith(request.getContextPath() + LIVE)) {
                session.setAttribute(USED, now);
            }
        }
        chain.doFilter(request, response);
    }
}
