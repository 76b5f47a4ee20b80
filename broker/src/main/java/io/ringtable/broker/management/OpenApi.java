package io.ringtable.broker.management;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Describes operations as OpenAPI 3.1 does, for tools that make clients or show the operations to people.
 * <p>
 * Thread: any.
 */
public final class OpenApi {
    private static final String JSON = "application/json";
    private static final String BASE = "/api/v1";

    private final OpenApiSchemas schemas = new OpenApiSchemas();
    private final ObjectNode paths = ManagementJson.MAPPER.createObjectNode();

    private OpenApi() {}

    /** @param version of the broker */
    public static ObjectNode describe(List<Operation> operations, String version) {
        OpenApi description = new OpenApi();
        Map<String, List<Operation>> byPath = operations.stream()
                .collect(
                        Collectors.groupingBy(operation -> operation.path().text(), TreeMap::new, Collectors.toList()));
        byPath.forEach(description::path);
        return description.document(version);
    }

    private ObjectNode document(String version) {
        ObjectNode document = ManagementJson.MAPPER.createObjectNode();
        document.put("openapi", "3.1.0");
        document.putObject("info")
                .put("title", "Ringtable administration")
                .put("version", version)
                .putObject("license")
                .put("name", "Apache-2.0")
                .put("identifier", "Apache-2.0");
        document.putArray("servers").addObject().put("url", BASE);
        document.putArray("security").addObject().putArray("basic");
        document.withArray("security").addObject().putArray("bearer");
        document.set("paths", paths);
        ObjectNode components = document.putObject("components");
        components.set("schemas", schemas.all());
        ObjectNode ways = components.putObject("securitySchemes");
        ways.putObject("basic").put("type", "http").put("scheme", "basic");
        ways.putObject("bearer").put("type", "http").put("scheme", "bearer").put("bearerFormat", "JWT");
        return document;
    }

    private void path(String path, List<Operation> operations) {
        ObjectNode item = paths.putObject(path);
        for (Operation operation : operations) {
            describe(operation, item.putObject(operation.method().name().toLowerCase(java.util.Locale.ROOT)));
        }
    }

    private void describe(Operation operation, ObjectNode node) {
        node.put("operationId", idOf(operation));
        node.putArray("tags").add(operation.tag());
        node.put("summary", operation.summary());
        node.put("description", accessOf(operation.access()));
        ArrayNode parameters = node.putArray("parameters");
        for (String variable : operation.path().variables()) {
            ObjectNode parameter = parameters.addObject();
            parameter.put("name", variable).put("in", "path").put("required", true);
            parameter.putObject("schema").put("type", "string");
        }
        for (QueryParameter query : operation.query()) {
            ObjectNode parameter = parameters.addObject();
            parameter.put("name", query.name()).put("in", "query").put("description", query.description());
            schemaOf(query.type(), parameter.putObject("schema"));
        }
        if (operation.body() != null) {
            ObjectNode body = node.putObject("requestBody").put("required", true);
            body.putObject("content").putObject(JSON).set("schema", schemas.of(operation.body()));
        }
        answers(operation, node.putObject("responses"));
    }

    private void answers(Operation operation, ObjectNode responses) {
        Operation.Answer answer = operation.answer();
        ObjectNode good = responses.putObject(String.valueOf(answer.status())).put("description", "Done.");
        if (answer.type() != null) {
            good.putObject("content")
                    .putObject(JSON)
                    .set("schema", answer.isList() ? schemas.listOf(answer.type()) : schemas.of(answer.type()));
        }
        responses
                .putObject("default")
                .put("description", "Refused; the body says why.")
                .putObject("content")
                .putObject(JSON)
                .set("schema", schemas.of(Problem.class));
    }

    private static String idOf(Operation operation) {
        StringBuilder id = new StringBuilder(operation.method().name().toLowerCase(java.util.Locale.ROOT));
        for (String segment : operation.path().segments()) {
            String word = segment.replaceAll("[^A-Za-z]", "");
            id.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
        }
        return id.toString();
    }

    private static String accessOf(Operation.Access access) {
        String role = "Needs the role " + access.role();
        return access.permission() == null
                ? role + "."
                : role + ", or the permission " + access.permission() + " on the address.";
    }

    private static void schemaOf(QueryParameter.Type type, ObjectNode schema) {
        switch (type) {
            case TEXT -> schema.put("type", "string");
            case NUMBER -> schema.put("type", "integer").put("format", "int64");
            case FLAG -> schema.put("type", "boolean");
            case TIME -> schema.put("type", "string").put("format", "date-time");
        }
    }
}
