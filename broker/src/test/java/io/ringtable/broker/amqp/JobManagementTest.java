package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import jakarta.jms.JMSContext;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Jobs as administrators ask for them: alice may do everything, shop what its rule says on addresses of its own. */
@Timeout(120)
class JobManagementTest {
    private static final Identity ALICE = Identity.of("alice");
    private static final Identity SHOP = Identity.of("shop");

    @TempDir
    private static Path directory;

    private static TestBroker broker;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of(
                        "ringtable.security.users[0].name", "alice",
                        "ringtable.security.users[0].password", "{noop}alice",
                        "ringtable.security.users[1].name", "shop",
                        "ringtable.security.users[1].password", "{noop}shop",
                        "ringtable.security.rules[0].match", "shop.#",
                        "ringtable.security.rules[0].users", "shop",
                        "ringtable.security.rules[0].permissions", "send,receive,create,manage",
                        "ringtable.security.roles.administrator.users", "alice"));
        for (String queue : List.of("shop.from", "shop.to", "other")) {
            ask(ALICE, "PUT", "/addresses/" + queue, Map.of(), Map.of("kind", "QUEUE"));
        }
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static ManagementAnswer ask(
            Identity who, String method, String path, Map<String, String> query, Map<String, ?> body) {
        JsonNode json = body == null ? null : ManagementJson.MAPPER.valueToTree(body);
        return broker.management()
                .handle(new ManagementRequest(method, path, query, json, new Caller(who, "http", "127.0.0.1")))
                .toCompletableFuture()
                .join();
    }

    private static JsonNode json(ManagementAnswer answer) {
        return ManagementJson.MAPPER.valueToTree(answer.body());
    }

    private static JsonNode job(long id) {
        return json(ask(ALICE, "GET", "/jobs/" + id, Map.of(), null));
    }

    private static void send(String queue, int messages) {
        try (JMSContext context =
                new JmsConnectionFactory("shop", "shop", "amqp://127.0.0.1:" + broker.port()).createContext()) {
            for (int i = 0; i < messages; i++) {
                context.createProducer().send(context.createQueue(queue), "message " + i);
            }
        }
    }

    @Test
    void aJobIsBegunShownListedAndDoneByWhoeverManagesItsAddress() {
        send("shop.from", 3);
        ManagementAnswer begun =
                ask(SHOP, "POST", "/jobs", Map.of(), Map.of("action", "move", "from", "shop.from", "to", "shop.to"));
        assertThat(begun.status()).as(begun.toString()).isEqualTo(202);
        long id = json(begun).path("id").asLong();
        Awaitility.await().until(() -> job(id).path("state").asString().equals("DONE"));
        assertThat(job(id).path("done").asLong()).isEqualTo(3);
        assertThat(job(id).path("by").asString()).isEqualTo("shop");
        assertThat(job(id).path("action").asString()).isEqualTo("move");
        assertThat(ask(SHOP, "GET", "/jobs/" + id, Map.of(), null).status()).isEqualTo(200);
        JsonNode list = json(ask(ALICE, "GET", "/jobs", Map.of(), null));
        assertThat(list.path("items").findValuesAsString("id")).contains(Long.toString(id));
        Map<String, String> ended = Map.of("state", "done", "filter", "SHOP.to");
        assertThat(json(ask(ALICE, "GET", "/jobs", ended, null)).path("items").findValuesAsString("id"))
                .contains(Long.toString(id));
        for (Map<String, String> other : List.of(Map.of("filter", "nobody"), Map.of("state", "failed"))) {
            assertThat(json(ask(ALICE, "GET", "/jobs", other, null))
                            .path("items")
                            .findValuesAsString("id"))
                    .doesNotContain(Long.toString(id));
        }
        assertThat(json(ask(ALICE, "GET", "/jobs", Map.of("state", "lost"), null))
                        .path("code")
                        .asString())
                .isEqualTo("RT-7744");
    }

    @Test
    void aJobIsCancelled() {
        send("shop.from", 20);
        Map<String, ?> slowly = Map.of("action", "delete", "from", "shop.from", "rate", 1);
        long id = json(ask(SHOP, "POST", "/jobs", Map.of(), slowly)).path("id").asLong();
        ManagementAnswer cancelled = ask(SHOP, "DELETE", "/jobs/" + id, Map.of(), null);
        assertThat(cancelled.status()).isEqualTo(200);
        assertThat(json(cancelled).path("state").asString()).isEqualTo("CANCELLED");
        assertThat(json(cancelled).path("endedAt").asString()).isNotEmpty();
        assertThat(ask(ALICE, "DELETE", "/jobs/" + id, Map.of(), null).status()).isEqualTo(200);
    }

    @Test
    void messagesThatDidNotDieAreAGroupWithoutAnOrigin() {
        try (JMSContext context =
                new JmsConnectionFactory("shop", "shop", "amqp://127.0.0.1:" + broker.port()).createContext()) {
            context.createProducer().send(context.createQueue("shop.dead"), "not dead");
        }
        JsonNode found = json(ask(ALICE, "GET", "/deadletters", Map.of("queue", "shop.dead"), null));
        assertThat(found.path("complete").asBoolean()).isTrue();
        assertThat(found.path("letters").asLong()).isEqualTo(1);
        assertThat(found.path("groups").path(0).path("count").asLong()).isEqualTo(1);
        assertThat(found.path("groups").path(0).has("origin")).isFalse();
        assertThat(found.path("groups").path(0).has("hour")).isFalse();
        JsonNode hourly = json(ask(ALICE, "GET", "/deadletters", Map.of("queue", "shop.dead", "hourly", "true"), null));
        Instant oldest =
                Instant.parse(hourly.path("groups").path(0).path("oldest").asString());
        assertThat(hourly.path("groups").path(0).path("hour").asString())
                .isEqualTo(oldest.truncatedTo(ChronoUnit.HOURS).toString());
        assertThat(hourly.path("groups").path(0).path("count").asLong()).isEqualTo(1);
        assertThat(ask(ALICE, "GET", "/deadletters", Map.of("hourly", "PT1H"), null)
                        .status())
                .isEqualTo(400);
        assertThat(json(ask(ALICE, "GET", "/deadletters", Map.of(), null))
                        .path("letters")
                        .asLong())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"shop.sent, 404", "other, 403"})
    void lettersGoBackOnlyWhereTheUserMaySend(String origin, int status) {
        Map<String, ?> body = Map.of("action", "redrive", "from", "shop.absent", "origin", origin);
        assertThat(ask(SHOP, "POST", "/jobs", Map.of(), body).status()).isEqualTo(status);
    }

    @Test
    void aQueueIsPurgedByAJob() {
        ask(ALICE, "PUT", "/addresses/shop.purged", Map.of(), Map.of("kind", "QUEUE"));
        send("shop.purged", 5);
        assertThat(ask(SHOP, "POST", "/addresses/other/purge", Map.of(), null).status())
                .isEqualTo(403);
        assertThat(ask(SHOP, "POST", "/addresses/absent/purge", Map.of(), null).status())
                .isEqualTo(403);

        ManagementAnswer begun = ask(SHOP, "POST", "/addresses/shop.purged/purge", Map.of(), null);

        assertThat(begun.status()).as(begun.toString()).isEqualTo(202);
        long id = json(begun).path("id").asLong();
        Awaitility.await().until(() -> job(id).path("state").asString().equals("DONE"));
        assertThat(job(id).path("done").asLong()).isEqualTo(5);
        assertThat(owed("shop.purged")).isZero();
    }

    @Test
    void aSubscriptionIsPurgedByAJob() {
        ask(ALICE, "PUT", "/addresses/shop.news", Map.of(), Map.of("kind", "TOPIC"));
        try (JMSContext context =
                new JmsConnectionFactory("shop", "shop", "amqp://127.0.0.1:" + broker.port()).createContext()) {
            context.setClientID("reader");
            context.createDurableConsumer(context.createTopic("shop.news"), "late")
                    .close();
            context.createProducer().send(context.createTopic("shop.news"), "news");
        }
        long subscription = json(ask(ALICE, "GET", "/subscriptions", Map.of("address", "shop.news"), null))
                .path("items")
                .path(0)
                .path("id")
                .asLong();
        assertThat(owed("shop.news")).isEqualTo(1);

        ManagementAnswer begun = ask(SHOP, "POST", "/subscriptions/" + subscription + "/purge", Map.of(), null);

        assertThat(begun.status()).as(begun.toString()).isEqualTo(202);
        Awaitility.await().until(() -> owed("shop.news") == 0);
    }

    @Test
    void aJobAndAPurgeWorkWithMessagesOfATimeAlone() {
        ask(ALICE, "PUT", "/addresses/shop.timed", Map.of(), Map.of("kind", "QUEUE"));
        send("shop.timed", 2);
        long sent = System.currentTimeMillis();
        Awaitility.await().until(() -> System.currentTimeMillis() > sent);
        Instant between = Instant.now();
        send("shop.timed", 3);

        Map<String, ?> late = Map.of(
                "action", "move", "from", "shop.timed", "to", "shop.to", "since", between.toString(), "dryRun", true);
        long counted =
                json(ask(SHOP, "POST", "/jobs", Map.of(), late)).path("id").asLong();
        Awaitility.await().until(() -> job(counted).path("state").asString().equals("DONE"));
        assertThat(job(counted).path("matched").asLong()).isEqualTo(3);
        assertThat(Instant.parse(job(counted).path("since").asString())).isEqualTo(between);
        assertThat(job(counted).has("until")).isFalse();

        Map<String, String> early =
                Map.of("until", between.minus(1, ChronoUnit.HOURS).toString());
        long nothing = json(ask(SHOP, "POST", "/addresses/shop.timed/purge", early, null))
                .path("id")
                .asLong();
        Awaitility.await().until(() -> job(nothing).path("state").asString().equals("DONE"));
        assertThat(owed("shop.timed")).isEqualTo(5);

        Map<String, ?> never = Map.of("action", "delete", "from", "shop.timed", "since", "yesterday");
        assertThat(json(ask(SHOP, "POST", "/jobs", Map.of(), never))
                        .path("code")
                        .asString())
                .isEqualTo("RT-7705");
        Map<String, String> beyond = Map.of("until", Instant.MAX.toString());
        assertThat(json(ask(SHOP, "POST", "/addresses/shop.timed/purge", beyond, null))
                        .path("code")
                        .asString())
                .isEqualTo("RT-7702");
    }

    private static long owed(String address) {
        return json(ask(ALICE, "GET", "/subscriptions", Map.of("address", address), null))
                .path("items")
                .path(0)
                .path("owed")
                .asLong(-1);
    }

    @ParameterizedTest
    @CsvSource({
        "move, other, shop.to, 403, RT-7706",
        "move, shop.from, other, 403, RT-7706",
        "redrive, absent, , 403, RT-7706",
        "redrive, shop.absent, shop.to, 404, RT-7111",
        "redrive, shop.from, , 403, RT-7706",
        "move, shop.from, , 400, RT-7114",
        "burn, shop.from, , 400, RT-7141",
        "redrive, , , 400, RT-7140"
    })
    void whatCannotBeBegunIsRefused(String action, String from, String to, int status, String code) {
        Map<String, String> body = new HashMap<>(Map.of("action", action));
        if (from != null) {
            body.put("from", from);
        }
        if (to != null) {
            body.put("to", to);
        }
        ManagementAnswer answer = ask(SHOP, "POST", "/jobs", Map.of(), body);
        assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
        assertThat(json(answer).path("code").asString()).isEqualTo(code);
    }

    @Test
    void jobsOfOthersAreNotShownToWhoHasNoRole() {
        send("shop.from", 1);
        Map<String, ?> dry = Map.of("action", "move", "from", "shop.from", "to", "other", "dryRun", true);
        long id = json(ask(ALICE, "POST", "/jobs", Map.of(), dry)).path("id").asLong();
        assertThat(ask(SHOP, "GET", "/jobs/" + id, Map.of(), null).status()).isEqualTo(200);
        assertThat(ask(SHOP, "GET", "/jobs", Map.of(), null).status()).isEqualTo(403);
        assertThat(ask(SHOP, "GET", "/deadletters", Map.of(), null).status()).isEqualTo(403);
        Map<String, ?> others = Map.of("action", "delete", "from", "other", "dryRun", true);
        long hidden =
                json(ask(ALICE, "POST", "/jobs", Map.of(), others)).path("id").asLong();
        assertThat(ask(SHOP, "GET", "/jobs/" + hidden, Map.of(), null).status()).isEqualTo(403);
        assertThat(ask(SHOP, "DELETE", "/jobs/" + hidden, Map.of(), null).status())
                .isEqualTo(403);
    }
}
