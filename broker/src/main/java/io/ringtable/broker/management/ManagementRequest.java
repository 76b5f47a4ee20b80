package io.ringtable.broker.management;

import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.JsonNode;

/**
 * Asks for one operation.
 *
 * @param method name of the method, such as {@code GET}
 * @param path below {@code /api/v1}, its segments percent-encoded, such as {@code /addresses/orders.eu}
 * @param query decoded parameters by name
 * @param body null if there is none
 */
public record ManagementRequest(String method, String path, Map<String, String> query, JsonNode body, Caller caller) {
    public ManagementRequest {
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(path, "path");
        query = Map.copyOf(query);
        Objects.requireNonNull(caller, "caller");
    }
}
