package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.JMSContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The application as it is shipped, with three shards on SQLite: what HTTP and its console show of each. */
@ExtendWith(WithoutBuildProperties.class)
class ShardsShownTest {
    private static final int SHARDS = 3;
    private static final int QUEUES = 6;
    private static final int IN_THE_FIRST = 100; // messages; each other queue has one
    private static final int CAPACITY = 8_192;

    @TempDir
    static Path directory;

    private static ConfigurableApplicationContext application;
    private static URI http;

    @BeforeAll
    static void start() {
        application = SpringApplication.run(
                BrokerApplication.class,
                "--ringtable.data-dir=" + directory,
                "--ringtable.shards=" + SHARDS,
                "--ringtable.ring.capacity=" + CAPACITY,
                "--ringtable.commit.batch-messages-max=2000",
                "--ringtable.amqp.port=0",
                "--server.port=0");
        int port = ((WebServerApplicationContext) application).getWebServer().getPort();
        http = URI.create("http://127.0.0.1:" + port);
        for (int i = 0; i < QUEUES; i++) {
            send("work." + i, i == 0 ? IN_THE_FIRST : 1);
        }
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static void send(String queue, int messages) {
        int port = application.getBean(RingtableBroker.class).amqpPort();
        try (JMSContext context = new JmsConnectionFactory("amqp://127.0.0.1:" + port).createContext()) {
            for (int i = 0; i < messages; i++) {
                context.createProducer().send(context.createQueue(queue), "one");
            }
        }
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(http.resolve(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode json(String path) throws Exception {
        HttpResponse<String> answer = get(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(answer.body());
    }

    /** Returns the number of the shard in which a queue lives. */
    private static int homeOf(String queue) throws Exception {
        JsonNode shards = json("/api/v1/addresses/" + queue).path("shards");
        assertThat(shards.size()).isEqualTo(1);
        return shards.path(0).asInt();
    }

    @Test
    void statusHasAPartForEachShardAndItsTotals() throws Exception {
        JsonNode status = json("/status");

        Map<String, Integer> holders = new HashMap<>();
        long inRings = 0;
        for (JsonNode shard : status.path("shards")) {
            assertThat(shard.path("state").asString()).isEqualTo("ACTIVE");
            assertThat(shard.path("capacity").asInt()).isEqualTo(CAPACITY);
            assertThat(shard.path("epoch").asLong()).isPositive();
            assertThat(shard.path("backlogMessages").asLong()).isZero();
            inRings += shard.path("next").asLong() - shard.path("gate").asLong();
            shard.path("heldBy")
                    .forEach(holder -> holders.put(
                            holder.path("address").asString(),
                            shard.path("shard").asInt()));
        }
        assertThat(status.path("shards").size()).isEqualTo(SHARDS);
        assertThat(inRings).isGreaterThanOrEqualTo(IN_THE_FIRST + QUEUES - 1);
        assertThat(holders).hasSize(QUEUES).containsEntry("work.0", homeOf("work.0"));
        assertThat(new TreeSet<>(holders.values())).containsExactly(0, 1, 2);
        JsonNode most =
                status.path("shards").path(homeOf("work.0")).path("heldBy").path(0);
        assertThat(most.path("address").asString()).isEqualTo("work.0");
        assertThat(most.path("owedInRing").asLong()).isGreaterThanOrEqualTo(IN_THE_FIRST);
        assertThat(status.path("addressCount").asInt()).isEqualTo(QUEUES + 1); // the dead-letter queue, once
        assertThat(status.path("addresses").path(0).path("name").asString()).isEqualTo("work.0");
    }

    @Test
    void eachShardHasItsOwnRates() throws Exception {
        int home = homeOf("work.1");

        send("work.1", 10);

        await().until(() -> json("/status")
                        .path("shards")
                        .path(home)
                        .path("messagesPerSecond")
                        .path("in")
                        .asDouble()
                > 0);
        assertThat(json("/status")
                        .path("shards")
                        .path(home)
                        .path("messagesPerSecond")
                        .path("out")
                        .asDouble())
                .isZero(); // nobody consumes
    }

    @Test
    void shardsAreListedInPages() throws Exception {
        JsonNode first = json("/api/v1/shards?limit=2");
        JsonNode second =
                json("/api/v1/shards?limit=2&after=" + first.path("next").asString());

        List<JsonNode> shards = new ArrayList<>();
        first.path("items").forEach(shards::add);
        second.path("items").forEach(shards::add);
        assertThat(second.has("next")).isFalse();
        assertThat(shards).extracting(shard -> shard.path("number").asInt()).containsExactly(0, 1, 2);
        assertThat(shards).allSatisfy(shard -> {
            assertThat(shard.path("engine").asString()).startsWith("SQLite");
            assertThat(shard.path("store").asString()).isEqualTo("main");
            assertThat(shard.path("state").asString()).isEqualTo("ACTIVE");
            assertThat(shard.path("reason").asString())
                    .isEqualTo("serving, epoch " + shard.path("epoch").asString());
            assertThat(shard.path("addresses").asInt()).isEqualTo(QUEUES / SHARDS + 1);
        });
        assertThat(shards.stream()
                        .mapToLong(shard -> shard.path("messages").asLong())
                        .sum())
                .isGreaterThanOrEqualTo(IN_THE_FIRST + QUEUES - 1);
        assertThat(shards.get(homeOf("work.0")).path("filled").asDouble()).isBetween(0.012, 0.5);
    }

    @Test
    void anAddressNamesItsHomeAndThoseOfAShardAreListed() throws Exception {
        Set<String> all = new TreeSet<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            for (JsonNode address :
                    json("/api/v1/addresses?filter=work&shard=" + shard).path("items")) {
                assertThat(homeOf(address.path("name").asString())).isEqualTo(shard);
                all.add(address.path("name").asString());
            }
        }

        assertThat(all).hasSize(QUEUES);
        assertThat(json("/api/v1/addresses/DLQ").path("shards").toString()).isEqualTo("[0,1,2]");
        HttpResponse<String> beyond = get("/api/v1/addresses?shard=" + SHARDS);
        assertThat(beyond.statusCode()).isEqualTo(400);
        assertThat(beyond.body()).contains("RT-7722");
    }

    @Test
    void theNodeIsReadyWithAllShards() throws Exception {
        HttpResponse<String> readiness = get("/actuator/health/readiness");

        assertThat(readiness.statusCode()).isEqualTo(200);
        assertThat(readiness.body())
                .contains("serving AMQP", SHARDS + " shards")
                .doesNotContain("\"shards\"");
    }

    @Test
    void metersOfAShardTellWhichAndOthersDoNot() throws Exception {
        int home = homeOf("work.0");
        await().until(() -> series().labels().getOrDefault("ringtable_owed", List.of()).stream()
                .anyMatch(owed -> "work.0".equals(owed.get("address"))));
        PromSeries series = series();

        for (String metric : List.of(
                "ringtable_ring_capacity",
                "ringtable_epoch",
                "ringtable_shard_store",
                "ringtable_store_writable",
                "ringtable_flush_seconds_count",
                "ringtable_commit_seconds_count",
                "ringtable_addresses",
                "ringtable_dead_letters_total")) {
            assertThat(shardsOf(series, metric)).as(metric).containsExactly("0", "1", "2");
        }
        assertThat(series.labels().get("ringtable_shard_store"))
                .allMatch(labels -> labels.get("store").equals("main"));
        assertThat(shardsOf(series, "ringtable_turn_longest_seconds")).containsExactly("", "0", "1", "2");
        assertThat(series.labels().get("ringtable_owed").stream()
                        .filter(owed -> "work.0".equals(owed.get("address")))
                        .map(owed -> owed.get("shard")))
                .containsOnly(String.valueOf(home));
        for (String metric : List.of("ringtable_state", "ringtable_messages_in_total", "ringtable_connections")) {
            assertThat(series.labels().get(metric)).as(metric).noneMatch(labels -> labels.containsKey("shard"));
        }
    }

    private static PromSeries series() throws Exception {
        return PromSeries.of(get("/actuator/prometheus").body());
    }

    private static Set<String> shardsOf(PromSeries series, String metric) {
        return series.labels().get(metric).stream()
                .map(labels -> labels.get("shard"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theConsoleShowsTheRingOfTheShardThatIsChosen() throws Exception {
        String first = get("/console").body();
        String chosen = get("/console?shard=2").body();
        String part = get("/console/live/overview?shard=2").body();

        assertThat(first)
                .contains("Ring of shard 0", "id=\"shard-1\"", "hx-get=\"/console/live/overview?shard=0\"")
                .containsPattern("id=\"shard-0\"[^>]*aria-current=\"true\"")
                .doesNotContainPattern("id=\"shard-2\"[^>]*aria-current");
        for (String page : List.of(chosen, part)) {
            assertThat(page)
                    .contains("Ring of shard 2", "hx-get=\"/console/live/overview?shard=2\"")
                    .containsPattern("id=\"shard-2\"[^>]*aria-current=\"true\"");
        }
        assertThat(get("/console?shard=" + SHARDS).body()).contains("Ring of shard 0");
        assertThat(get("/console?shard=" + homeOf("work.0")).body()).contains("/console/subscriptions?address=work.0");
        assertThat(get("/console/addresses").body()).contains(">Shard</th>").containsPattern("DLQ[\\s\\S]*0, 1, 2");
    }
}
