package io.ringtable.broker.management;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.message.Printable;
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
                "user '{}' ({}) over {} from {}: {} {}{} -> {}{}",
                Printable.value(caller.user()),
                role,
                caller.way(),
                Printable.value(caller.from()),
                Printable.value(request.method()),
                Printable.value(request.path()),
                body(request.body(), operation),
                answer.status(),
                answer.body() instanceof Problem problem ? " " + problem : "");
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
