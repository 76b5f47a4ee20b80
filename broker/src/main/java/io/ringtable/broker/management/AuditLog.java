package io.ringtable.broker.management;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.message.Printable;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes one line for each change that somebody asked for, whatever came of it: who, from where, what, result.
 * <p>
 * Thread: {@code audit}, which may wait for the log.
 */
final class AuditLog {
    private static final Logger LOG = LoggerFactory.getLogger("ringtable.audit");

    private static final int BODY_MAX = 1_000;

    private AuditLog() {}

    /** @param operation null if the request means none */
    static void write(ManagementRequest request, Operation operation, Role role, ManagementAnswer answer) {
        Caller caller = request.caller();
        LOG.info(
                "user '{}' ({}) over {} from {}: {} {}{}{} -> {}{}",
                Printable.value(caller.user()),
                role,
                caller.way(),
                Printable.value(caller.from()),
                Printable.value(request.method()),
                Printable.value(request.path()),
                query(request, operation),
                body(request.body(), operation),
                answer.status(),
                answer.body() instanceof Problem problem ? " " + problem : "");
    }

    /** Writes the line of a change that is no operation. @param failure null if it was done */
    static void write(Caller caller, Role role, String what, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        LOG.info(
                "user '{}' ({}) over {} from {}: {} -> {}",
                Printable.value(caller.user()),
                role,
                caller.way(),
                Printable.value(caller.from()),
                what,
                cause == null ? "done" : Printable.text(String.valueOf(cause.getMessage())));
    }

    /** Returns the parameters that the operation has; nobody knows what others hold. */
    private static String query(ManagementRequest request, Operation operation) {
        StringBuilder query = new StringBuilder();
        for (QueryParameter known : operation == null ? List.<QueryParameter>of() : operation.query()) {
            String value = request.query().get(known.name());
            if (value != null) {
                query.append(query.isEmpty() ? '?' : '&').append(known.name());
                query.append(value.isEmpty() ? "" : "=" + Printable.value(value));
            }
        }
        return query.toString();
    }

    private static String body(JsonNode body, Operation operation) {
        if (body == null) {
            return "";
        }
        if (operation == null) {
            return " (a body)"; // nobody knows which fields of it are secret
        }
        JsonNode shown = body.deepCopy();
        if (shown instanceof ObjectNode fields) {
            operation.secrets().stream().filter(fields::has).forEach(secret -> fields.put(secret, "***"));
        }
        String text = Printable.text(shown.toString());
        return " " + (text.length() > BODY_MAX ? text.substring(0, BODY_MAX) + "..." : text);
    }
}
