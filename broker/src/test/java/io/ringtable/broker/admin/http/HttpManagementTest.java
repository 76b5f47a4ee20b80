package io.ringtable.broker.admin.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.ringtable.broker.WithoutBuildProperties;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Administration over HTTP, of the application as it is shipped, with users and roles. */
@ExtendWith(WithoutBuildProperties.class)
class HttpManagementTest {
    @TempDir
    static Path directory;

    private static HttpApplication broker;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @BeforeAll
    static void start() {
        broker = HttpApplication.start(
                directory,
                List.of("alice", "oscar", "vera", "shop"),
                "--ringtable.security.rules[0].match=shop.#",
                "--ringtable.security.rules[0].users=shop",
                "--ringtable.security.rules[0].permissions=send,receive,create,delete",
                "--ringtable.security.roles.administrator.users=alice",
                "--ringtable.security.roles.operator.users=oscar",
                "--ringtable.security.roles.viewer.users=vera");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static HttpResponse<String> ask(String user, String method, String path, String body) throws Exception {
        return broker.send(user, method, path, body);
    }

    private static HttpResponse<String> get(String user, String path) throws Exception {
        return ask(user, "GET", path, null);
    }

    private static JsonNode json(HttpResponse<String> response) {
        return JsonMapper.shared().readTree(response.body());
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "nobody",
            value = {
                "nobody, /livez, 200",
                "nobody, /readyz, 200",
                "nobody, /status, 401",
                "nobody, /actuator/prometheus, 401",
                "nobody, /actuator/health, 401",
                "nobody, /api/v1/whoami, 401",
                "nobody, /api/v1/addresses, 401",
                "shop, /api/v1/whoami, 200",
                "shop, /api/v1/addresses, 403",
                "shop, /status, 403",
                "shop, /actuator/prometheus, 403",
                "vera, /status, 200",
                "vera, /actuator/prometheus, 200",
                "vera, /api/v1/addresses, 200",
                "vera, /api/v1/subscriptions, 200",
                "vera, /api/v1/shards, 200",
                "vera, /api/v1/nodes, 200",
                "shop, /api/v1/nodes, 403",
                "shop, /api/v1/shards, 403",
                "shop, /api/v1/connections, 403",
                "vera, /api/v1/connections, 200",
                "vera, /api/v1/jobs, 200",
                "shop, /api/v1/jobs, 403",
                "shop, /api/v1/deadletters, 403"
            })
    void showsEachUserWhatTheRoleIsFor(String user, String path, int status) throws Exception {
        assertThat(get(user, path).statusCode()).isEqualTo(status);
    }

    @Test
    void challengesWhoDoesNotLogIn() throws Exception {
        HttpResponse<String> response = get(null, "/api/v1/addresses");

        assertThat(response.headers().firstValue("WWW-Authenticate"))
                .hasValueSatisfying(way -> assertThat(way).startsWith("Basic realm=\"Ringtable\""));
        assertThat(json(response).path("code").asString()).isEqualTo("RT-7501");
    }

    @Test
    void refusesAWrongPasswordAndPutsOffMany() throws Exception {
        HttpRequest wrong = HttpRequest.newBuilder(broker.http().resolve("/api/v1/whoami"))
                .header("Authorization", HttpApplication.basic("mallory", "guess"))
                .build();
        int status = 0;
        for (int i = 0; i < 12; i++) {
            HttpResponse<String> response = CLIENT.send(wrong, BodyHandlers.ofString());
            status = response.statusCode();
            assertThat(response.body())
                    .contains(status == 401 ? "RT-7502" : "RT-7503")
                    .doesNotContain("guess");
        }
        assertThat(status).isEqualTo(429);
    }

    @Test
    void createsShowsAndDeletesAnAddress() throws Exception {
        String path = "/api/v1/addresses/shop.eu%2Forders%20%C3%A4%3B%25";

        HttpResponse<String> made = ask("alice", "PUT", path, "{\"kind\":\"QUEUE\"}");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        assertThat(json(made).path("name").asString()).isEqualTo("shop.eu/orders ä;%");
        assertThat(ask("alice", "PUT", path, "{\"kind\":\"QUEUE\"}").statusCode())
                .isEqualTo(200);
        assertThat(ask("alice", "PUT", path, "{\"kind\":\"TOPIC\"}").statusCode())
                .isEqualTo(409);

        send("shop.eu/orders ä;%");
        JsonNode shown = json(get("vera", path));
        assertThat(shown.path("messages").asLong()).isEqualTo(1);
        assertThat(shown.path("kind").asString()).isEqualTo("QUEUE");
        JsonNode subscription = json(get("vera", "/api/v1/subscriptions?address=shop.eu%2Forders%20%C3%A4%3B%25"))
                .path("items")
                .path(0);
        assertThat(subscription.path("owed").asLong()).isEqualTo(1);
        assertThat(json(get(
                                "vera",
                                "/api/v1/subscriptions/"
                                        + subscription.path("id").asLong()))
                        .path("address")
                        .asString())
                .isEqualTo("shop.eu/orders ä;%");

        assertThat(ask("oscar", "DELETE", path, null).statusCode()).isEqualTo(403);
        assertThat(ask("alice", "DELETE", path, null).body()).contains("RT-2030");
        assertThat(ask("alice", "DELETE", path + "?force", null).statusCode()).isEqualTo(204);
        assertThat(get("alice", path).body()).contains("RT-7713");
    }

    @Test
    void letsAUserActOnItsOwnAddresses() throws Exception {
        assertThat(ask("shop", "PUT", "/api/v1/addresses/shop.a", "{\"kind\":\"TOPIC\"}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(ask("shop", "PUT", "/api/v1/addresses/other", "{\"kind\":\"TOPIC\"}")
                        .statusCode())
                .isEqualTo(403);
        assertThat(ask("shop", "DELETE", "/api/v1/addresses/shop.a", null).statusCode())
                .isEqualTo(204);
    }

    @Test
    void pagesThroughAddresses() throws Exception {
        for (int i = 0; i < 5; i++) {
            ask("alice", "PUT", "/api/v1/addresses/page." + i, "{\"kind\":\"QUEUE\"}");
        }

        JsonNode first = json(get("vera", "/api/v1/addresses?filter=PAGE&limit=3"));
        JsonNode second = json(get(
                "vera",
                "/api/v1/addresses?filter=PAGE&limit=3&after="
                        + first.path("next").asString()));

        assertThat(first.path("items").size()).isEqualTo(3);
        assertThat(second.path("items").path(1).path("name").asString()).isEqualTo("page.4");
        assertThat(second.has("next")).isFalse();
        assertThat(json(get("vera", "/api/v1/addresses?filter=page&kind=topic"))
                        .path("items")
                        .size())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/addresses/none, 404, RT-7713",
        "GET, /api/v1/subscriptions/99999999, 404, RT-7714",
        "GET, /api/v1/addresses?kind=stack, 400, RT-7711",
        "GET, /api/v1/addresses?shard=1, 400, RT-7722",
        "PATCH, /api/v1/addresses/none, 405, RT-7708",
        "GET, /api/v1/nothing, 404, RT-7707"
    })
    void saysWhatIsWrong(String method, String path, int status, String code) throws Exception {
        HttpResponse<String> response = ask("alice", method, path, null);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(json(response).path("code").asString()).isEqualTo(code);
    }

    @Test
    void takesJsonAlone() throws Exception {
        URI uri = broker.http().resolve("/api/v1/addresses/form");
        HttpRequest form = HttpRequest.newBuilder(uri)
                .header("Authorization", HttpApplication.basic("alice", "alice"))
                .header("Content-Type", "text/plain")
                .PUT(BodyPublishers.ofString("{\"kind\":\"QUEUE\"}"))
                .build();
        assertThat(CLIENT.send(form, BodyHandlers.ofString()).statusCode()).isEqualTo(415);
        assertThat(ask("alice", "PUT", "/api/v1/addresses/form", "{\"kind\"").body())
                .contains("RT-7512");
        assertThat(ask("alice", "PUT", "/api/v1/addresses/form", "{\"kind\":\"STACK\"}")
                        .body())
                .contains("RT-7705");
        assertThat(ask("alice", "PUT", "/api/v1/addresses/form", "{}").body()).contains("RT-7712");
    }

    @ParameterizedTest
    @CsvSource({
        "Origin, https://evil.example, 403",
        "Sec-Fetch-Site, cross-site, 403",
        "Sec-Fetch-Site, same-site, 403",
        "Sec-Fetch-Site, same-origin, 204",
        "Sec-Fetch-Site, none, 204"
    })
    void doesNotServeThePagesOfOthers(String header, String value, int status) throws Exception {
        ask("alice", "PUT", "/api/v1/addresses/browsed", "{\"kind\":\"QUEUE\"}");
        HttpRequest request = HttpRequest.newBuilder(broker.http().resolve("/api/v1/addresses/browsed"))
                .header("Authorization", HttpApplication.basic("alice", "alice"))
                .header(header, value)
                .DELETE()
                .build();

        assertThat(CLIENT.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        "/whoami, /whoami",
        "/status, /status",
        "/shards, /shards",
        "/nodes, /nodes",
        "/addresses, /addresses",
        "/addresses/{address}, /addresses/described",
        "/subscriptions, /subscriptions",
        "/connections, /connections",
        "/connections/{id}, /connections/c999999",
        "/links, /links",
        "/transactions, /transactions",
        "/producers, /producers",
        "/policies, /policies",
        "/users, /users",
        "/jobs, /jobs",
        "/jobs/{id}, /jobs/1",
        "/jobs/{id}, /jobs/99999",
        "/deadletters, /deadletters?queue=described",
        "/deadletters, /deadletters?queue=described&hourly=true",
        "/addresses/{address}, /addresses/missing"
    })
    void answersAsItsDescriptionSays(String path, String asked) throws Exception {
        ask("alice", "PUT", "/api/v1/addresses/described", "{\"kind\":\"QUEUE\"}");
        ask("alice", "POST", "/api/v1/addresses/described/messages", "{\"body\":\"one\"}");
        ask("alice", "POST", "/api/v1/jobs", "{\"action\":\"redrive\",\"from\":\"described\"}");
        ask("alice", "PUT", "/api/v1/policies/described", "{\"messagesMax\":1000,\"bytesMax\":100000}");
        ask("alice", "PUT", "/api/v1/users/described", "{\"passwordHash\":\"{external}\",\"connectionsMax\":2}");
        JsonNode description = json(get("alice", "/api/v1/openapi.json"));
        HttpResponse<String> answer = get("alice", "/api/v1" + asked);

        JsonNode responses = description.path("paths").path(path).path("get").path("responses");
        JsonNode meant = responses.path(String.valueOf(answer.statusCode()));
        if (meant.isMissingNode()) {
            meant = responses.path("default");
        }
        JsonNode schema = meant.path("content").path("application/json").path("schema");
        assertThat(validate(description, schema, answer.body())).isEmpty();
    }

    private static List<?> validate(JsonNode description, JsonNode schema, String answer) {
        ObjectNode whole = JsonMapper.shared().createObjectNode();
        whole.set("components", description.path("components"));
        whole.setAll((ObjectNode) schema);
        Schema compiled = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(whole.toString());
        return compiled.validate(answer, InputFormat.JSON);
    }

    private static void send(String queue) {
        try (var context = broker.jms("shop", "").createContext()) {
            context.createProducer().send(context.createQueue(queue), "one");
        }
    }
}
