package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.access.Identity;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tests the operations on messages as administrators ask for them, in paths and JSON. */
class MessageOperationsScenarioTest extends InspectScenario {

    private static JsonNode ask(int status, String method, String path, Map<String, String> query, String body)
            throws Exception {
        ManagementAnswer answer = answer(broker.management()
                .handle(new ManagementRequest(
                        method,
                        path,
                        query,
                        body == null ? null : ManagementJson.MAPPER.readTree(body),
                        new Caller(Identity.ANONYMOUS, "http", "test"))));
        JsonNode json = ManagementJson.MAPPER.valueToTree(answer.body());
        assertThat(answer.status()).as("%s %s: %s", method, path, json).isEqualTo(status);
        return json;
    }

    private static JsonNode get(String path) throws Exception {
        return ask(200, "GET", path, Map.of(), null);
    }

    @Test
    void whatIsSentIsListedShownExplainedCopiedAndRemoved() throws Exception {
        session.createConsumer(session.createQueue(name)).close(); // makes it
        String messages = "/addresses/" + name + "/messages";
        String draft = """
                {"headers": {"priority": 6}, "properties": {"subject": "new", "messageId": "ID:op"},
                 "applicationProperties": {"color": "red"}, "bodyType": "json", "body": {"n": [1]}}""";
        assertThat(ask(200, "POST", messages, Map.of(), draft).get("accepted").asBoolean())
                .isTrue();
        JsonNode listed = ask(200, "GET", messages, Map.of("id", "op", "selector", "color = 'red'"), null);
        JsonNode item = listed.get("items").get(0);
        assertThat(item.get("subject").asString()).isEqualTo("new");
        assertThat(item.get("priority").asInt()).isEqualTo(6);
        assertThat(item.get("preview").asString()).isEqualTo("{\"n\":[1]}");
        assertThat(Instant.parse(item.get("publishedAt").asString()))
                .isBefore(Instant.now().plusSeconds(5));
        assertThat(listed.has("next")).isFalse();

        String message = "/messages/" + item.get("sequence").asLong();
        JsonNode shown = get(message);
        assertThat(shown.get("body").get("json").toString()).isEqualTo("{\"n\":[1]}");
        assertThat(shown.get("applicationProperties").get("color").asString()).isEqualTo("red");
        JsonNode life = get(message + "/explain");
        assertThat(life.get("owing").get(0).get("reason").asString()).isEqualTo("NO_CONSUMER");
        assertThat(life.get("owing").get(0).get("cure").asString()).isNotBlank();

        ask(
                200,
                "POST",
                message + "/copy",
                Map.of(),
                "{\"to\": \"" + name + "\", \"body\": \"corrected\", \"bodyType\": \"text\"}");
        assertThat(ask(200, "DELETE", message, Map.of(), null).get("removed").asInt())
                .isEqualTo(1);
        MessageConsumer consumer = session.createConsumer(session.createQueue(name));
        assertThat(consumer.receive(WAIT_MS).getStringProperty("color")).isEqualTo("red");
        assertThat(consumer.receiveNoWait()).isNull();
    }

    @Test
    void listsGoOnWithTheirCursor() throws Exception {
        publish("1", "2", "3");
        String messages = "/addresses/" + name + "/messages";
        JsonNode first = ask(200, "GET", messages, Map.of("limit", "2"), null);
        assertThat(first.get("items").size()).isEqualTo(2);
        JsonNode second = ask(
                200,
                "GET",
                messages,
                Map.of("limit", "2", "after", first.get("next").asString()),
                null);
        assertThat(second.get("items").get(0).get("preview").asString()).isEqualTo("3");
        assertThat(second.has("next")).isFalse();
        assertThat(ask(
                                200,
                                "GET",
                                messages,
                                Map.of("since", Instant.now().plusSeconds(60).toString()),
                                null)
                        .get("items")
                        .size())
                .isZero();
    }

    @Test
    void whyNothingIsDeliveredIsSaidInOneSentenceAndInTheList() throws Exception {
        publish("1");
        Subscription reader = reader();
        JsonNode why = get("/subscriptions/" + reader.id() + "/why");
        assertThat(why.get("reason").asString()).isEqualTo("NO_CONSUMER");
        assertThat(why.get("text").asString()).contains(name).contains("no consumer");
        assertThat(why.get("cure").asString()).isNotBlank();
        JsonNode listed = ask(200, "GET", "/subscriptions", Map.of("address", name), null);
        assertThat(listed.get("items").get(0).get("why").asString()).isEqualTo("NO_CONSUMER");
        assertThat(get("/subscriptions/" + reader.id()).get("why").asString()).isEqualTo("NO_CONSUMER");
        Session waiting = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        assertThat(((TextMessage) waiting.createConsumer(waiting.createQueue(name))
                                .receive(WAIT_MS))
                        .getText())
                .isEqualTo("1");
        await().untilAsserted(() -> assertThat(get("/subscriptions/" + reader.id() + "/why")
                        .get("reason")
                        .asString())
                .isEqualTo("AT_CONSUMER"));
    }

    @Test
    void whatCannotBeDoneIsRefusedWithItsCode() throws Exception {
        session.createDurableConsumer(session.createTopic("topic." + name), "sub")
                .close();
        publish("1");
        String messages = "/addresses/" + name + "/messages";
        refused(400, "RT-7230", "GET", "/addresses/topic." + name + "/messages", Map.of(), null);
        refused(404, "RT-7231", "GET", messages, Map.of("subscription", "999999"), null);
        refused(404, "RT-7713", "GET", "/addresses/nowhere/messages", Map.of(), null);
        refused(400, "RT-7205", "GET", messages, Map.of("selector", "color ="), null);
        refused(404, "RT-7201", "GET", "/messages/999999999", Map.of(), null);
        refused(400, "RT-7220", "POST", messages, Map.of(), "{\"body\": 1}");
        long sequence = list(all()).get(0).sequence();
        refused(400, "RT-7232", "POST", "/messages/" + sequence + "/copy", Map.of(), "{}");
        refused(404, "RT-7207", "POST", "/messages/" + sequence + "/copy", Map.of(), "{\"to\": \"nowhere\"}");
        refused(404, "RT-7203", "DELETE", "/messages/" + sequence, Map.of("subscription", "999999"), null);
    }

    private static void refused(
            int status, String code, String method, String path, Map<String, String> query, String body)
            throws Exception {
        JsonNode problem = ask(status, method, path, query, body);
        assertThat(problem.get("code").asString()).isEqualTo(code);
        assertThat(problem.get("message").asString()).isNotBlank();
    }
}
