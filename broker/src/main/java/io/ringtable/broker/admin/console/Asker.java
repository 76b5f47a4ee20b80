package io.ringtable.broker.admin.console;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.access.Role;
import io.ringtable.broker.admin.http.HttpUser;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.broker.management.Method;
import io.ringtable.broker.management.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.security.core.context.SecurityContextHolder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Asks operations for the user of one request.
 * <p>
 * Thread: that of the request, which waits for the answer. Failure: {@link AskRefused} with what the operation says.
 */
final class Asker {
    private static final long WAIT_SECONDS = 60;

    private final Management management;
    private final Caller caller;

    private Asker(Management management, Caller caller) {
        this.management = management;
        this.caller = caller;
    }

    static Asker of(Management management, HttpServletRequest request) {
        Identity who = HttpUser.identityOf(SecurityContextHolder.getContext().getAuthentication());
        return new Asker(management, new Caller(who, "console", request.getRemoteAddr()));
    }

    /** Returns the name of the user; empty where nobody logs in. */
    String user() {
        return caller.identity().name();
    }

    Role role() {
        return management.roleOf(caller.identity());
    }

    /** Tells whether there is an operation such as {@code GET /addresses}, and the user may ask for it. */
    boolean offers(String operation) {
        return management.permits(caller.identity(), operation, null);
    }

    /** Tells the same of an operation about one address. */
    boolean offers(String operation, String address) {
        return management.permits(caller.identity(), operation, address);
    }

    /** Writes a path of names that may have any character. */
    static String path(String... segments) {
        StringBuilder path = new StringBuilder();
        for (String segment : segments) {
            path.append('/').append(encoded(segment));
        }
        return path.toString();
    }

    /** Writes a name as a segment or a parameter of a URL. */
    static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    JsonNode get(String path) {
        return get(path, Map.of());
    }

    /** Asks without those parameters that are null or empty. */
    JsonNode get(String path, Map<String, String> query) {
        return ask(Method.GET, path, query, null);
    }

    /**
     * Asks, and waits for the answer.
     *
     * @param body what Jackson writes as JSON; null if there is none
     * @return the body of the answer; a missing node if it has none
     */
    JsonNode ask(Method method, String path, Map<String, String> query, Object body) {
        Map<String, String> given = new LinkedHashMap<>(query);
        given.values().removeIf(value -> value == null || value.isBlank());
        JsonNode json = body == null ? null : ManagementJson.MAPPER.valueToTree(body);
        ManagementAnswer answer = answer(new ManagementRequest(method.name(), path, given, json, caller));
        if (answer.body() instanceof Problem problem) {
            throw new AskRefused(answer.status(), problem);
        }
        return answer.body() == null
                ? MissingNode.getInstance()
                : ManagementJson.MAPPER.<JsonNode>valueToTree(answer.body());
    }

    private ManagementAnswer answer(ManagementRequest request) {
        try {
            return management.handle(request).toCompletableFuture().get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AskRefused(
                    504,
                    new Problem(
                            "RT-7401",
                            "no answer after " + WAIT_SECONDS + " s: what was asked may still happen, so look before"
                                    + " you ask again"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AskRefused(503, new Problem("RT-7402", "the broker stops: ask again when it runs"));
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // answers never fail
        }
    }
}
