package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.broker.management.Problem;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The operations of administrators on what clients have open, with the JSON that they answer with. */
@Timeout(120)
class ConnectionOperationsScenarioTest extends OperatorScenario {
    private static final Caller BOB = new Caller(Identity.of("bob"), "http", "10.1.2.3");

    private static ManagementAnswer ask(String method, String path, Map<String, String> query) throws Exception {
        return get(broker.management().handle(new ManagementRequest(method, path, query, null, BOB)));
    }

    private static JsonNode items(String path, Map<String, String> query) throws Exception {
        ManagementAnswer answer = ask("GET", path, query);
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(200);
        JsonNode list = ManagementJson.MAPPER.valueToTree(answer.body());
        assertThat(list.has("silent")).isFalse();
        return list.path("items");
    }

    private static void assertDeleted(String path) throws Exception {
        ManagementAnswer answer = ask("DELETE", path, Map.of());
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(204);
    }

    private static void assertProblem(int status, String code, String method, String path) throws Exception {
        ManagementAnswer answer = ask(method, path, Map.of());
        assertThat(answer.status()).isEqualTo(status);
        assertThat(((Problem) answer.body()).code()).isEqualTo(code);
    }

    @Test
    void aConnectionIsFoundShownAndClosedByItsId() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        client.setExceptionListener(failure -> heard.add(failure.getMessage()));
        JsonNode found = items("/connections", Map.of("filter", "DESK", "limit", "1"));
        assertThat(found.size()).isEqualTo(1);
        String id = found.path(0).path("id").asString();

        JsonNode shown = ManagementJson.MAPPER.valueToTree(
                ask("GET", "/connections/" + id, Map.of()).body());
        assertThat(shown.path("container").asString()).isEqualTo("desk");
        assertThat(shown.path("mechanism").asString()).isEqualTo("PLAIN");
        assertThat(shown.path("since").asString()).startsWith("20").endsWith("Z");
        assertThat(shown.path("open").asBoolean()).isTrue();
        assertThat(shown.has("tls")).isFalse();

        assertDeleted("/connections/" + id);

        await().untilAsserted(() ->
                assertThat(heard).anySatisfy(text -> assertThat(text).contains("RT-4372", "user 'bob' over http")));
        await().until(() -> broker.counters().connections.sum() == 0);
        assertProblem(404, "RT-4375", "GET", "/connections/" + id);
        assertProblem(404, "RT-4375", "DELETE", "/connections/" + id);
    }

    @Test
    void aLinkIsFoundByItsAddressAndDetached() throws Exception {
        Session session = client.createSession(false, Session.AUTO_ACKNOWLEDGE);
        session.createConsumer(session.createQueue("found"));
        session.createConsumer(session.createQueue("other"));

        JsonNode links = items("/links", Map.of("address", "found"));
        assertThat(links.size()).isEqualTo(1);
        assertThat(links.path(0).path("role").asString()).isEqualTo("consumer");
        assertThat(links.path(0).path("credit").asLong()).isEqualTo(PREFETCH);
        String connection = links.path(0).path("connection").asString();
        assertThat(items("/links", Map.of("connection", connection)).size()).isEqualTo(2);

        assertDeleted("/links/" + links.path(0).path("id").asString());

        await().until(() -> items("/links", Map.of()).size() == 1);
        assertProblem(404, "RT-4375", "DELETE", "/links/c1");
    }

    @Test
    void aTransactionIsListedAndRolledBack() throws Exception {
        Session session = client.createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("transacted");
        session.createProducer(queue).send(session.createTextMessage("lost"));
        await().until(() ->
                items("/transactions", Map.of()).path(0).path("messages").asInt() == 1);

        assertDeleted("/transactions/"
                + items("/transactions", Map.of()).path(0).path("id").asString());

        assertThatThrownBy(session::commit).isInstanceOf(JMSException.class).hasMessageContaining("RT-4374");
        assertProblem(404, "RT-4375", "DELETE", "/transactions/c1.t0");
    }

    @Test
    void aProducerIsListedInPagesAndForgottenOnceNoLinkAttendsIt() throws Exception {
        Address address = get(broker.shard().catalog().ensure("numbered/eu", AddressKind.QUEUE));
        Producer attending = get(broker.shard().catalog().attend(address, "import 1", 0, "user 'shop'", () -> {}));
        get(broker.shard().catalog().attend(address, "import 2", 0, null, () -> {}));
        Map<String, String> query = Map.of("address", "numbered/eu", "limit", "1");

        JsonNode page = ManagementJson.MAPPER.valueToTree(
                ask("GET", "/producers", query).body());
        assertThat(page.path("items").path(0).path("name").asString()).isEqualTo("import 1");
        assertThat(page.path("items").path(0).path("attended").asBoolean()).isTrue();
        assertThat(page.path("items").path(0).path("attendedBy").asString()).isEqualTo("user 'shop'");
        JsonNode rest = ManagementJson.MAPPER.valueToTree(ask(
                        "GET",
                        "/producers",
                        Map.of(
                                "address",
                                "numbered/eu",
                                "after",
                                page.path("next").asString()))
                .body());
        assertThat(rest.path("items").size()).isEqualTo(1);
        assertThat(rest.has("next")).isFalse();

        String path = "/producers/numbered%2Feu/import%201";
        assertProblem(409, "RT-4379", "DELETE", path);
        broker.shard().catalog().leave(attending);
        assertDeleted(path);
        assertProblem(404, "RT-4378", "DELETE", path);
        assertThat(ask("GET", "/producers", Map.of("after", "x")).status()).isEqualTo(400);
        assertThat(ask("GET", "/links", Map.of("after", "x")).status()).isEqualTo(400);
    }
}
