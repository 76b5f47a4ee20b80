package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.broker.management.Problem;
import io.ringtable.broker.ring.ShardIds;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.engine.Sender;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** An administrator asks one node for what another one serves, and both answer alike (ADR 73). */
@Timeout(300)
class NodeManagementScenarioTest {
    @AutoClose
    static TwoNodes nodes;

    static Administrator atOwner;
    static Administrator atFront;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TwoNodes(settings());
        nodes.awaitKnown("q.work");
        nodes.awaitKnown("DLQ", 2);
        atOwner = Administrator.of(nodes.owner, "root");
        atFront = Administrator.of(nodes.front, "root");
    }

    private static TestSettings settings() {
        return TwoNodes.settings()
                .with(
                        "ringtable.queues",
                        "q.work,q.gone,q.kept,q.sent",
                        "ringtable.topics",
                        "t.news",
                        "ringtable.dispatch.addresses[0].match",
                        "pair.#",
                        "ringtable.dispatch.addresses[0].affinity",
                        "pair",
                        "ringtable.security.users[0].name",
                        "root",
                        "ringtable.security.users[0].password",
                        "{noop}of root",
                        "ringtable.security.users[1].name",
                        "vera",
                        "ringtable.security.users[1].password",
                        "{noop}of vera",
                        "ringtable.security.users[2].name",
                        FrontPeer.NODE_USER,
                        "ringtable.security.users[2].password",
                        "{noop}of " + FrontPeer.NODE_USER,
                        "ringtable.security.roles.administrator.users",
                        "root",
                        "ringtable.security.roles.viewer.users",
                        "vera");
    }

    private static void send(String queue, int count) {
        try (JMSContext context = nodes.front.jms("root", "of root").createContext()) {
            Queue to = context.createQueue(queue);
            for (int i = 0; i < count; i++) {
                context.createProducer().send(to, "text " + i);
            }
        }
    }

    private static void awaitMessages(Administrator at, String queue, int count) {
        await().until(() -> at.get("/addresses/" + queue).path("messages").asInt(), messages -> messages == count);
    }

    // ---- the same on every node

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/addresses",
                "/addresses?limit=2",
                "/addresses?shard=0",
                "/addresses/q.kept",
                "/addresses/DLQ",
                "/addresses/q.kept/messages",
                "/subscriptions",
                "/subscriptions?address=q.kept",
                "/subscriptions?volatile=true",
                "/messages/{sequence}?shard=0",
                "/messages/{sequence}/explain?shard=0",
                "/subscriptions/{subscription}",
                "/subscriptions/{subscription}/why",
                "/producers",
                "/jobs",
                "/deadletters",
                "/policies",
                "/rules",
                "/roles",
                "/users",
            })
    void bothNodesAnswerAlike(String path) {
        synchronized (nodes) {
            if (atOwner.get("/addresses/q.kept").path("messages").asInt() == 0) {
                send("q.kept", 3);
            }
        }
        awaitMessages(atOwner, "q.kept", 3);
        String sequence = first("/addresses/q.kept/messages").path("sequence").asString();
        String subscription = first("/subscriptions?address=q.kept").path("id").asString();
        String asked = path.replace("{sequence}", sequence).replace("{subscription}", subscription);

        JsonNode known = atOwner.get(asked);

        assertThat(known.toString()).hasSizeGreaterThan(10);
        assertThat(atFront.get(asked).toString()).isEqualTo(known.toString());
    }

    private static JsonNode first(String list) {
        return atOwner.get(list).path("items").path(0);
    }

    @Test
    void pagesOfSeveralNodesHaveEachItemOnceAndInOrder() {
        List<String> all = names(atOwner.get("/addresses"));
        assertThat(all).contains("q.work", "DLQ").isSorted();
        StringBuilder found = new StringBuilder();
        JsonNode page = atFront.get("/addresses?limit=1");
        while (page.hasNonNull("next")) {
            found.append(names(page)).append(' ');
            page = atFront.get("/addresses?limit=1&after=" + page.path("next").asString());
        }
        found.append(names(page));
        StringBuilder expected = new StringBuilder();
        all.forEach(name -> expected.append(List.of(name)).append(' '));
        assertThat(found.toString().strip()).isEqualTo(expected.toString().strip());
    }

    private static List<String> names(JsonNode list) {
        return list.path("items")
                .valueStream()
                .map(item -> item.path("name").asString())
                .toList();
    }

    @Test
    void shardsAreListedWithTheFiguresOfTheirNodes() {
        for (Administrator at : List.of(atOwner, atFront)) {
            JsonNode shards = at.get("/shards").path("items");
            assertThat(shards.size()).isEqualTo(2);
            shards.forEach(shard -> {
                assertThat(shard.path("state").asString()).isEqualTo("ACTIVE");
                assertThat(shard.path("epoch").asString()).isNotEmpty();
                assertThat(shard.path("url").asString()).startsWith("amqp://");
            });
        }
    }

    // ---- changes

    @Test
    void messagesElsewhereAreSentRemovedAndPurged() {
        atFront.ask(200, "POST", "/addresses/q.sent/messages", "{'body': 'one'}");
        atFront.ask(200, "POST", "/addresses/q.sent/messages", "{'body': 'two'}");
        awaitMessages(atFront, "q.sent", 2);
        String sequence = first("/addresses/q.sent/messages").path("sequence").asString();
        atFront.ask(200, "POST", "/messages/" + sequence + "/copy?shard=0", "{'to': 'q.sent', 'body': 'three'}");
        atFront.ask(200, "DELETE", "/messages/" + sequence + "?shard=0", null);
        awaitMessages(atFront, "q.sent", 2);

        JsonNode job = atFront.ask(202, "POST", "/addresses/q.sent/purge", null);
        await().until(() -> atFront.get("/jobs/" + job.path("id").asString())
                .path("state")
                .asString()
                .equals("DONE"));
        awaitMessages(atFront, "q.sent", 0);
        awaitMessages(atOwner, "q.sent", 0);
    }

    @Test
    void anAddressElsewhereIsMadeAndDeletedAndTheAuditLogNamesWhoAsked() {
        atOwner.make("/addresses/pair.one", "{'kind': 'QUEUE'}");
        int home =
                ShardIds.shardOf(nodes.owner.shard().lookup().find("pair.one").id());
        Administrator other = home == 0 ? atFront : atOwner;
        try (AuditLines audit = new AuditLines()) {
            JsonNode made = other.make("/addresses/pair.two", "{'kind': 'QUEUE'}"); // its affinity is elsewhere
            assertThat(made.path("shards").path(0).asInt()).isEqualTo(home);
            other.change("/addresses/pair.two", "{'kind': 'QUEUE'}");
            other.delete("/addresses/pair.two");
            other.refused(404, "RT-7713", "GET", "/addresses/pair.two", null);

            assertThat(audit.about(""))
                    .anyMatch(line -> line.startsWith("user 'root' (administrator) over relay from 127.0.0.1:")
                            && line.contains("DELETE /addresses/pair.two -> 204"))
                    .anyMatch(line -> line.startsWith("user 'root' (administrator) over http from 127.0.0.1:")
                            && line.contains("DELETE /addresses/pair.two -> 204"));
        }
    }

    @Test
    void settingsAreChangedFromAnyNodeAndNoPasswordCrosses() {
        try (AuditLines audit = new AuditLines()) {
            JsonNode made = atFront.make("/users/bob", "{'password': 'of bob', 'groups': ['traders']}");
            assertThat(made.path("changedBy").asString()).isEqualTo("root");
            nodes.front.jms("bob", "of bob").createContext().close(); // at once, as it would at the owner
            nodes.owner.jms("bob", "of bob").createContext().close();
            assertThat(audit.about(""))
                    .anyMatch(line -> line.contains("over relay") && line.contains("\"passwordHash\":\"***\""))
                    .noneMatch(line -> line.contains("over relay") && line.contains("\"password\""));
        }
        atFront.refused(400, "RT-7626", "PUT", "/users/eve", "{'password': ''}");
        atFront.refused(400, "RT-7626", "PUT", "/users/eve", "{'password': 'x', 'passwordHash': '{noop}x'}");
        atFront.change("/users/bob", "{'groups': ['others']}");
        nodes.owner.jms("bob", "of bob").createContext().close();

        atFront.make("/policies/short.%23", "{'messagesMax': 10}");
        for (Administrator at : List.of(atFront, atOwner)) {
            assertThat(at.get("/policies").toString()).contains("short.#");
        }
        atFront.ask(204, "DELETE", "/policies/short.%23", null);
        atFront.ask(200, "PUT", "/roles/operator", "{'users': ['bob'], 'groups': []}");
        assertThat(atOwner.get("/roles").toString()).contains("bob");
        atFront.ask(200, "PUT", "/roles/operator", "{'users': [], 'groups': []}");
        atFront.delete("/users/bob");
        assertThat(atOwner.get("/users").toString()).doesNotContain("bob");
    }

    @Test
    void aQueueWithPartsAtBothNodesIsPurgedByEach() {
        for (Administrator at : List.of(atFront, atOwner)) {
            assertThat(at.get("/addresses/DLQ").path("shards").toString()).isEqualTo("[0,1]");
            JsonNode begun = at.ask(202, "POST", "/addresses/DLQ/purge", null);
            assertThat(begun.path("together").size()).isEqualTo(2);
            begun.path("together")
                    .forEach(id -> await().until(() -> at.get("/jobs/" + id.asString())
                            .path("state")
                            .asString()
                            .equals("DONE")));
        }
    }

    // ---- what must not be

    @Test
    void whoMayNotIsRefusedAtBothNodes() {
        Administrator vera = Administrator.of(nodes.front, "vera");
        vera.refused(403, "RT-7706", "DELETE", "/addresses/q.gone", null);
        String reader = first("/subscriptions?address=q.gone").path("id").asString();
        vera.refused(403, "RT-7706", "DELETE", "/subscriptions/" + reader, null); // judged by the owner
        vera.get("/addresses/q.gone");
        assertThat(nodes.owner.shard().lookup().find("q.gone")).isNotNull();
    }

    @Test
    void aClientCannotAskInTheNameOfAnother() throws Exception {
        try (FrontPeer client = FrontPeer.client(nodes.owner, "vera", "direct")) {
            Sender sender = client.attachSender(
                    client.session(), RelayScenario.carried("c1", "root"), "to", "$management", false);
            assertThat(client.closed(sender)).contains("RT-4551").contains("the connection is no relay");
        }
    }

    /** A request that was passed on is done there or refused, and goes no further. */
    @Test
    void aRequestIsPassedOnOnce() {
        for (String path : List.of("/addresses/q.gone", "/messages/1?shard=0")) {
            String[] parts = path.split("\\?");
            ManagementAnswer answer = nodes.front
                    .management()
                    .handle(new ManagementRequest(
                            "DELETE",
                            parts[0],
                            parts.length == 1 ? Map.of() : Map.of("shard", "0"),
                            null,
                            new Caller(Identity.of("root"), Caller.RELAY, "192.0.2.7")))
                    .toCompletableFuture()
                    .join();
            assertThat(answer.status()).isEqualTo(503);
            assertThat(((Problem) answer.body()).code()).isEqualTo("RT-4617");
        }
        ManagementAnswer put = nodes.front
                .management()
                .handle(new ManagementRequest(
                        "PUT",
                        "/users/mallory",
                        Map.of(),
                        ManagementJson.MAPPER.readTree("{\"password\": \"x\"}"),
                        new Caller(Identity.of("root"), Caller.RELAY, "192.0.2.7")))
                .toCompletableFuture()
                .join();
        assertThat(((Problem) put.body()).code()).isEqualTo("RT-4600");
        assertThat(nodes.owner.shard().lookup().find("q.gone")).isNotNull();
    }
}
