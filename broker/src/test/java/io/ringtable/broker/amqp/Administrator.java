package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.Management;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Asks a broker for operations, as HTTP and the management node do. */
final class Administrator {
    private final Management management;
    private final Identity who;

    private Administrator(Management management, Identity who) {
        this.management = management;
        this.who = who;
    }

    static Administrator of(TestBroker broker, String user) {
        return new Administrator(broker.management(), user.isEmpty() ? Identity.ANONYMOUS : Identity.of(user));
    }

    /** Asks, and expects that status. @param json with ' in place of "; null = no body */
    JsonNode ask(int status, String method, String path, String json) {
        String[] parts = path.split("\\?");
        ManagementAnswer answer = management
                .handle(new ManagementRequest(
                        method,
                        parts[0],
                        parts.length == 1 ? Map.of() : query(parts[1]),
                        json == null ? null : ManagementJson.MAPPER.readTree(json.replace('\'', '"')),
                        new Caller(who, "http", "127.0.0.1")))
                .toCompletableFuture()
                .join();
        JsonNode body = ManagementJson.MAPPER.valueToTree(answer.body());
        assertThat(answer.status()).as(() -> method + " " + path + ": " + body).isEqualTo(status);
        return body;
    }

    private static Map<String, String> query(String text) {
        return Stream.of(text.split("&"))
                .map(each -> each.split("="))
                .collect(Collectors.toMap(each -> each[0], each -> each[1]));
    }

    JsonNode get(String path) {
        return ask(200, "GET", path, null);
    }

    /** Makes what was not there. */
    JsonNode make(String path, String json) {
        return ask(201, "PUT", path, json);
    }

    /** Changes what is there. */
    JsonNode change(String path, String json) {
        return ask(200, "PUT", path, json);
    }

    void delete(String path) {
        ask(204, "DELETE", path, null);
    }

    /** Asks, and expects a refusal with that code. */
    String refused(int status, String code, String method, String path, String json) {
        JsonNode problem = ask(status, method, path, json);
        assertThat(problem.get("code").asString()).as(problem.toString()).isEqualTo(code);
        return problem.get("message").asString();
    }
}
