package io.ringtable.broker.admin.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.WithoutBuildProperties;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Administration over HTTP of a broker with three shards: what it shows and does is one broker's. */
@Timeout(120)
@ExtendWith(WithoutBuildProperties.class)
class HttpShardsTest {
    private static final int QUEUES = 6;
    private static final long WAIT_MS = 60_000;

    @TempDir
    static Path directory;

    private static HttpApplication broker;

    @BeforeAll
    static void start() {
        broker = HttpApplication.start(
                directory,
                List.of("alice"),
                "--ringtable.shards=3",
                "--ringtable.ring.capacity=" + TestSettings.RING_CAPACITY,
                "--ringtable.security.roles.administrator.users=alice");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static JsonNode get(String path) throws Exception {
        return broker.ask("alice", "GET", 200, path, null);
    }

    private static void refused(int status, String code, String method, String path, String body) throws Exception {
        broker.refused("alice", method, status, code, path, body);
    }

    private static JMSContext client(String options) {
        return broker.jms("alice", options).createContext(JMSContext.CLIENT_ACKNOWLEDGE);
    }

    private static void publish(String queue, String text) {
        try (JMSContext context = client("")) {
            context.createProducer().send(context.createQueue(queue), text);
        }
    }

    private static void reject(String queue) {
        try (JMSContext context = client("?jms.prefetchPolicy.all=0&jms.redeliveryPolicy.maxRedeliveries=0"
                + "&jms.redeliveryPolicy.outcome=REJECTED")) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(queue));
            assertThat(consumer.receive(WAIT_MS)).isNotNull();
            context.recover();
            assertThat(consumer.receiveNoWait()).isNull(); // the client has rejected it
        }
    }

    private static List<Integer> shardsOf(JsonNode address) {
        return address.path("shards").valueStream().map(JsonNode::asInt).toList();
    }

    private static long messages(String address) throws Exception {
        return get("/addresses/" + address).path("messages").asLong();
    }

    @Test
    void deadLettersOfAllShardsAreListedShownCountedAndSentBack() throws Exception {
        Set<Integer> homes = new HashSet<>();
        for (int i = 0; i < QUEUES; i++) {
            publish("work." + i, "of " + i);
            reject("work." + i);
            homes.addAll(shardsOf(get("/addresses/work." + i)));
        }
        assertThat(homes).as("homes of the queues").hasSize(3);
        Awaitility.await().until(() -> messages("DLQ") == QUEUES);
        assertThat(shardsOf(get("/addresses/DLQ"))).containsExactly(0, 1, 2);
        assertThat(get("/addresses").path("items").findValuesAsString("name"))
                .as("one address, however many parts")
                .containsOnlyOnce("DLQ");

        List<String> shown = new ArrayList<>();
        String page = "";
        while (page != null) {
            JsonNode listed = get("/addresses/DLQ/messages?limit=1" + page);
            for (JsonNode item : listed.path("items")) {
                JsonNode message = get("/messages/" + item.path("sequence").asLong() + "?shard="
                        + item.path("shard").asInt());
                assertThat(message.path("address").asString()).isEqualTo("DLQ");
                shown.add(item.path("preview").asString());
            }
            page = listed.has("next") ? "&after=" + listed.path("next").asString() : null;
        }
        assertThat(shown).containsExactlyInAnyOrder("of 0", "of 1", "of 2", "of 3", "of 4", "of 5");
        assertThat(get("/deadletters").path("letters").asLong()).isEqualTo(QUEUES);

        JsonNode begun = broker.ask("alice", "POST", 202, "/jobs", "{\"action\": \"redrive\", \"from\": \"DLQ\"}");
        List<Long> jobs =
                begun.path("together").valueStream().map(JsonNode::asLong).toList();
        assertThat(jobs).as("one job in each shard").hasSize(3);
        for (long job : jobs) {
            Awaitility.await()
                    .until(() -> get("/jobs/" + job).path("state").asString().equals("DONE"));
        }
        assertThat(messages("DLQ")).isZero();
        for (int i = 0; i < QUEUES; i++) {
            assertThat(messages("work." + i)).isEqualTo(1);
        }
    }

    @Test
    void aJobStaysWithinOneShard() throws Exception {
        for (int i = 0; i < 3; i++) {
            publish("store." + i, "any");
        }
        int home = shardsOf(get("/addresses/store.0")).get(0);
        String other = shardsOf(get("/addresses/store.1")).get(0) == home ? "store.2" : "store.1";

        refused(
                409,
                "RT-7145",
                "POST",
                "/jobs",
                "{\"action\": \"move\", \"from\": \"store.0\", \"to\": \"" + other + "\"}");
    }

    @Test
    void noShardIsGuessedAndNoCursorMisread() throws Exception {
        refused(404, "RT-7716", "GET", "/messages/0?shard=3", null);
        refused(400, "RT-4491", "DELETE", "/messages/0", null);
        refused(400, "RT-4490", "GET", "/addresses/DLQ/messages?after=2.x", null);
        refused(400, "RT-4490", "GET", "/addresses/DLQ/messages?after=-3", null);
        assertThat(get("/addresses/DLQ/messages?after=2.999999999").path("items"))
                .isEmpty();
    }
}
