package io.ringtable.broker.admin.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses requests that a browser makes for a page of somebody else. Such a page could use the login that the browser
 * remembers; where nobody logs in, it needs none. A browser says where its page is from by {@code Sec-Fetch-Site} (W3C
 * Fetch Metadata) or {@code Origin}. A page that reaches the broker by a name of its own, which it has rebound to this
 * machine, is known by {@code Host}.
 * <p>
 * Thread: HTTP's.
 */
public final class BrowserGuard extends OncePerRequestFilter {
    private static final Pattern HERE = Pattern.compile(
            "(?:localhost|[^:]*\\.localhost|[0-9.]+|\\[[0-9a-f:.]+])(?::\\d+)?", Pattern.CASE_INSENSITIVE);

    private final BooleanSupplier isLoginNeeded;

    /** @param isLoginNeeded if not, the name by which the broker is asked must be one of this machine */
    public BrowserGuard(BooleanSupplier isLoginNeeded) {
        this.isLoginNeeded = isLoginNeeded;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String host = request.getHeader(HttpHeaders.HOST);
        if (!isLoginNeeded.getAsBoolean() && host != null && !HERE.matcher(host).matches()) {
            refuse(response, "the broker has no users and is asked as '" + host + "': ask it as localhost");
        } else if (isForAnother(request, host)) {
            refuse(response, "a browser asks for a page of another site");
        } else {
            chain.doFilter(request, response);
        }
    }

    private static boolean isForAnother(HttpServletRequest request, String host) {
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null) {
            boolean isOwn = site.equals("same-origin") || site.equals("none");
            boolean isFollowedLink = "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
                    && request.getMethod().equals("GET");
            return !isOwn && !isFollowedLink;
        }
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        return origin != null && !isOf(origin, host);
    }

    private static boolean isOf(String origin, String host) {
        try {
            String authority = URI.create(origin).getAuthority();
            return authority != null
                    && host != null
                    && authority.toLowerCase(Locale.ROOT).equals(host.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static void refuse(HttpServletResponse response, String why) throws IOException {
        HttpRefusals.write(response, HttpStatus.FORBIDDEN, "RT-7505", why);
    }
}
