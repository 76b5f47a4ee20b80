package io.ringtable.acceptance.cluster;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.ServerDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.core.ConditionTimeoutException;

/** Three brokers that share six shards of one database. Thread: the test's. */
final class ClusterNodes {
    static final int SHARDS = 6;
    static final Duration LEASE = Duration.ofSeconds(2);

    private static final int NODES = 3;
    private static final Duration MOST = Duration.ofMinutes(2);
    private static final Duration LOOK = Duration.ofMillis(200); // each asks a broker
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<BrokerProcess> brokers = new ArrayList<>();

    /** Starts them, the first one alone: it makes the addresses, in all shards. */
    ClusterNodes(Bench bench, String queues, String topics, String parted) {
        ServerDatabase database = Engine.POSTGRESQL.database(bench);
        for (int i = 0; i < NODES; i++) {
            brokers.add(bench.broker(settings -> settings.store(database)
                    .with("ringtable.cluster.enabled", true)
                    .with("ringtable.shards", SHARDS)
                    .with("ringtable.lease", LEASE.toSeconds() + "s")
                    .with("ringtable.queues", queues)
                    .with("ringtable.topics", topics)
                    .with("ringtable.dispatch.addresses[0].match", parted)
                    .with("ringtable.dispatch.addresses[0].parts", SHARDS)
                    .with("ringtable.dispatch.deliveries-max", 1_000_000)));
        }
        brokers.get(0).start();
        brokers.subList(1, NODES).forEach(BrokerProcess::launch);
        awaitBalance();
    }

    List<BrokerProcess> brokers() {
        return brokers;
    }

    List<Integer> ports() {
        return brokers.stream().map(BrokerProcess::amqpPort).toList();
    }

    /** Until all nodes serve, and each says that all have the same number of shards. */
    void awaitBalance() {
        Map<String, Integer> even = new TreeMap<>();
        brokers.forEach(broker -> even.put(broker.amqpUrl(), SHARDS / NODES));
        for (BrokerProcess broker : brokers) {
            try {
                await("shares of all nodes")
                        .atMost(MOST)
                        .pollInterval(LOOK)
                        .until(() -> broker.isReady() && counts(broker).equals(even));
            } catch (ConditionTimeoutException late) {
                throw new AssertionError(
                        "not even at " + broker.amqpUrl() + ": " + answerOf(broker) + "\n" + broker.logTail(), late);
            }
        }
    }

    /** Until no node owes anything: all that was settled is durable. */
    void awaitNothingOwed() {
        for (BrokerProcess broker : brokers) {
            try {
                await("that nothing is owed").atMost(MOST).pollInterval(LOOK).until(broker::owesNothing);
            } catch (ConditionTimeoutException late) {
                throw new AssertionError(
                        broker.amqpUrl() + " owes: " + broker.http("/status").body(), late);
            }
        }
    }

    /**
     * Has a shard go to a node.
     *
     * @return false if the cluster may do so later only, as a handover is under way or the node has it
     */
    boolean move(int shard, BrokerProcess asked, BrokerProcess to) {
        String body = "{\"node\": \"" + idOf(asked, to) + "\"}";
        URI uri = URI.create("http://127.0.0.1:" + asked.httpPort() + "/api/v1/shards/" + shard + "/move");
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        try {
            return http.send(request, BodyHandlers.ofString()).statusCode() == 202;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String idOf(BrokerProcess asked, BrokerProcess node) {
        for (JsonNode each : items(asked, "/api/v1/nodes")) {
            if (each.path("url").asText().equals(node.amqpUrl())
                    && each.path("state").asText().equals("ACTIVE")) {
                return each.path("id").asText();
            }
        }
        return "none";
    }

    /** Counts the shards by the URL of the node that has them, as a broker lists them. */
    private static Map<String, Integer> counts(BrokerProcess broker) {
        Map<String, Integer> shards = new TreeMap<>();
        for (JsonNode shard : items(broker, "/api/v1/shards")) {
            shards.merge(shard.path("url").asText(), 1, Integer::sum);
        }
        return shards;
    }

    private static String answerOf(BrokerProcess broker) {
        return broker.http("/readyz") + "\n" + broker.http("/api/v1/shards").body();
    }

    private static Iterable<JsonNode> items(BrokerProcess broker, String path) {
        BrokerProcess.Answer answer = broker.http(path);
        try {
            return JSON.readTree(answer.status() == 200 ? answer.body() : "{}").path("items");
        } catch (IOException e) {
            throw new AssertionError(answer.body(), e);
        }
    }
}
