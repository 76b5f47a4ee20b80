package io.ringtable.broker.admin.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.WithoutBuildProperties;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.Topic;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Messages that only memory has, as operators see them over HTTP while JMS clients have and wait for them. */
@Timeout(120)
@ExtendWith(WithoutBuildProperties.class)
class HttpVolatileTest {
    private static final long WAIT_MS = 60_000;

    @TempDir
    static Path directory;

    private static HttpApplication broker;

    @BeforeAll
    static void start() {
        broker = HttpApplication.start(
                directory,
                List.of("oscar", "vera", "shop"),
                "--ringtable.security.rules[0].match=#",
                "--ringtable.security.rules[0].users=shop",
                "--ringtable.security.rules[0].permissions=send,receive,browse,create,manage",
                "--ringtable.security.roles.operator.users=oscar",
                "--ringtable.security.roles.viewer.users=vera");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static JsonNode get(String user, int status, String path) throws Exception {
        return broker.ask(user, "GET", status, path, null);
    }

    private static JsonNode get(String path) throws Exception {
        return get("oscar", 200, path);
    }

    private static void refused(String user, int status, String code, String path) throws Exception {
        broker.refused(user, "GET", status, code, path, null);
    }

    private static JMSContext shop(int mode) {
        return broker.jms("shop", "").createContext(mode);
    }

    private static String messagesOf(String address) {
        return "/addresses/" + URLEncoder.encode(address, StandardCharsets.UTF_8) + "/messages";
    }

    private static List<String> previews(JsonNode list) {
        return list.path("items")
                .valueStream()
                .map(item -> item.path("preview").asString(""))
                .toList();
    }

    /** Returns the only subscription of an address that lives in memory. */
    private static JsonNode volatileOf(String address) throws Exception {
        JsonNode items = get("/subscriptions?volatile=true&address="
                        + URLEncoder.encode(address, StandardCharsets.UTF_8))
                .path("items");
        assertThat(items).hasSize(1);
        return items.path(0);
    }

    @Test
    void messagesOfATemporaryQueueAreListedFoundAndShown() throws Exception {
        try (JMSContext context = shop(JMSContext.CLIENT_ACKNOWLEDGE)) {
            TemporaryQueue replies = context.createTemporaryQueue();
            context.createProducer().setProperty("colour", "red").send(replies, "first");
            context.createProducer().setJMSCorrelationID("c-2").send(replies, "second");
            context.createProducer().setDeliveryDelay(WAIT_MS).send(replies, "later");
            String messages = messagesOf(replies.getQueueName());

            JsonNode list = get(messages);
            JsonNode first = list.path("items").path(0);
            assertThat(previews(list)).containsExactly("first", "second", "later");
            assertThat(first.path("place").asString()).isEqualTo("memory");
            assertThat(first.path("address").asString()).isEqualTo(replies.getQueueName());
            assertThat(list.has("next")).isFalse();
            assertThat(previews(get(messages + "?selector=colour%3D%27red%27"))).containsExactly("first");
            String id = first.path("messageId").asString();
            assertThat(previews(get(messages + "?id=" + URLEncoder.encode(id, StandardCharsets.UTF_8))))
                    .containsExactly("first");
            assertThat(previews(get(messages + "?until=2026-01-01T00:00:00Z"))).isEmpty();

            JsonNode page = get(messages + "?limit=2");
            assertThat(previews(page)).containsExactly("first", "second");
            assertThat(previews(
                            get(messages + "?limit=2&after=" + page.path("next").asString())))
                    .containsExactly("later");

            JsonNode reader = volatileOf(replies.getQueueName());
            assertThat(reader.path("id").asLong()).isNegative();
            assertThat(reader.path("owed").asLong()).isEqualTo(3);
            assertThat(reader.path("attended").asBoolean()).isFalse();
            assertThat(reader.path("why").asString()).isEqualTo("NO_CONSUMER");
            assertThat(first.path("subscription").asLong())
                    .isEqualTo(reader.path("id").asLong());
            JsonNode shown = get(show(first));
            assertThat(shown.path("body").path("text").asString()).isEqualTo("first");
            assertThat(shown.path("applicationProperties").path("colour").asString())
                    .isEqualTo("red");

            try (JMSConsumer consumer = context.createConsumer(replies)) {
                Message taken = consumer.receive(WAIT_MS);
                assertThat(previews(get(messages))).as("a consumer has two").hasSize(3);
                taken.acknowledge();
                await().untilAsserted(() -> assertThat(previews(get(messages))).containsExactly("second", "later"));
                refused("oscar", 404, "RT-4402", show(first));
            }
        }
    }

    private static String show(JsonNode item) {
        return of(item, "");
    }

    /** Names a message, or what belongs to it. */
    private static String of(JsonNode item, String part) {
        return "/messages/" + item.path("sequence").asString() + part + "?subscription="
                + item.path("subscription").asString();
    }

    @Test
    void aMessageInMemoryIsExplainedCopiedAndDropped() throws Exception {
        try (JMSContext context = shop(JMSContext.CLIENT_ACKNOWLEDGE)) {
            TemporaryQueue replies = context.createTemporaryQueue();
            context.createProducer().setProperty("colour", "red").send(replies, "first");
            context.createProducer().send(replies, "second");
            context.createConsumer(context.createQueue("kept")).close(); // makes it
            JsonNode messages = get(messagesOf(replies.getQueueName())).path("items");
            JsonNode first = messages.path(0);
            JsonNode second = messages.path(1);
            String explain = of(first, "/explain");

            JsonNode life = get("vera", 200, explain);
            assertThat(life.path("place").asString()).isEqualTo("memory");
            assertThat(life.has("slot")).isFalse();
            assertThat(life.path("messageId").asString())
                    .isEqualTo(first.path("messageId").asString());
            assertThat(life.path("owedBy")).hasSize(1);
            assertThat(life.path("owing").path(0).path("reason").asString()).isEqualTo("NO_CONSUMER");
            refused("shop", 403, "RT-4401", explain);
            refused("vera", 403, "RT-7706", show(first));

            String copy = of(first, "/copy");
            broker.refused("vera", "POST", 403, "RT-7706", copy, "{\"to\": \"kept\"}");
            broker.refused("oscar", "POST", 404, "RT-7207", copy, "{\"to\": \"nowhere\"}");
            broker.ask(
                    "oscar", "POST", 200, copy, "{\"to\": \"kept\", \"applicationProperties\": {\"by\": \"oscar\"}}");
            Message kept = context.createConsumer(context.createQueue("kept")).receive(WAIT_MS);
            assertThat(kept.getBody(String.class)).isEqualTo("first");
            assertThat(List.of(kept.getStringProperty("colour"), kept.getStringProperty("by")))
                    .containsExactly("red", "oscar");

            broker.refused("shop", "DELETE", 403, "RT-4401", show(first), null);
            assertThat(broker.ask("oscar", "DELETE", 200, show(first), null)
                            .path("removed")
                            .asInt())
                    .isEqualTo(1);
            broker.refused("oscar", "DELETE", 404, "RT-4402", show(first), null);
            assertThat(previews(get(messagesOf(replies.getQueueName())))).containsExactly("second");

            try (JMSConsumer consumer = context.createConsumer(replies)) {
                assertThat(consumer.receive(WAIT_MS).getBody(String.class)).isEqualTo("second");
                JsonNode debt = get(of(second, "/explain")).path("owing").path(0);
                assertThat(debt.path("reason").asString()).isEqualTo("AT_CONSUMER");
                assertThat(debt.path("heldBy").asString()).contains("user 'shop'");
                broker.refused("oscar", "DELETE", 409, "RT-7211", show(second), null);
            }
        }
    }

    @Test
    void aSubscriptionInMemoryIsShownWithItsReasonAndEndsByItselfAlone() throws Exception {
        try (JMSContext context = shop(JMSContext.AUTO_ACKNOWLEDGE)) {
            TemporaryQueue replies = context.createTemporaryQueue();
            context.createProducer().send(replies, "an answer");
            String subscription = "/subscriptions/"
                    + volatileOf(replies.getQueueName()).path("id").asString();

            assertThat(get("vera", 200, subscription).path("owed").asLong()).isEqualTo(1);
            JsonNode why = get("vera", 200, subscription + "/why");
            assertThat(why.path("reason").asString()).isEqualTo("NO_CONSUMER");
            assertThat(why.path("text").asString()).contains(replies.getQueueName());
            refused("oscar", 404, "RT-4400", "/subscriptions/-999999/why");
            refused("oscar", 404, "RT-4400", "/subscriptions/-999999");

            broker.refused("oscar", "DELETE", 400, "RT-7743", subscription, null);
            broker.refused("oscar", "POST", 400, "RT-7743", subscription + "/purge", null);
            String job = "{\"action\": \"delete\", \"from\": \"" + replies.getQueueName() + "\"}";
            broker.refused("oscar", "POST", 400, "RT-7741", "/jobs", job);
        }
    }

    @Test
    void messagesOfASubscriptionThatIsNotDurableAreListedWhileItsConsumerHasThem() throws Exception {
        try (JMSContext context = shop(JMSContext.CLIENT_ACKNOWLEDGE)) {
            Topic prices = context.createTopic("prices");
            try (JMSConsumer consumer = context.createConsumer(prices, "colour = 'red'")) {
                context.createProducer().setProperty("colour", "red").send(prices, "wanted");
                context.createProducer().setProperty("colour", "blue").send(prices, "not wanted");
                assertThat(consumer.receive(WAIT_MS).getBody(String.class)).isEqualTo("wanted");

                refused("oscar", 400, "RT-7230", messagesOf("prices"));
                JsonNode reader = volatileOf("prices");
                assertThat(reader.path("selector").asString()).isEqualTo("colour = 'red'");
                assertThat(reader.path("attended").asBoolean()).isTrue();
                String id = reader.path("id").asString();
                JsonNode list = get(messagesOf("prices") + "?subscription=" + id);
                assertThat(previews(list)).containsExactly("wanted");
                assertThat(get(show(list.path("items").path(0))).path("address").asString())
                        .isEqualTo("prices");

                context.createProducer().send(context.createQueue("orders"), "stored");
                refused("oscar", 404, "RT-7231", messagesOf("orders") + "?subscription=" + id);
                refused("oscar", 404, "RT-4400", messagesOf("prices") + "?subscription=-999999");
            }
            assertThat(get("/subscriptions?address=prices").path("items")).isEmpty();
        }
    }

    @Test
    void aTemporaryQueueIsReadByItsConnectionAndByOperatorsWhateverTheRulesSay() throws Exception {
        try (JMSContext context = shop(JMSContext.AUTO_ACKNOWLEDGE)) {
            TemporaryQueue replies = context.createTemporaryQueue();
            context.createProducer().send(replies, "for the requester alone");
            String messages = messagesOf(replies.getQueueName());
            JsonNode item = get(messages).path("items").path(0);
            refused("shop", 403, "RT-4401", messages);
            refused("shop", 403, "RT-4401", show(item));
            refused("vera", 403, "RT-7706", messages);
            refused("shop", 403, "RT-7706", "/subscriptions?volatile=true");
            assertThat(get("vera", 200, "/subscriptions?volatile=true").path("items"))
                    .isNotEmpty();
            replies.delete();
            await().untilAsserted(() -> refused("oscar", 404, "RT-7713", messages));
        }
    }
}
