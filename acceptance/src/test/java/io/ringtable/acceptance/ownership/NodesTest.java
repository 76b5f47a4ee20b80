package io.ringtable.acceptance.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.broker.Ports;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two brokers on one database: each shows both, through a pause, a kill and an orderly stop of the other. */
class NodesTest {
    private static final Duration LEASE = Duration.ofSeconds(10); // longer than other load keeps a node from renewing
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofMillis(200); // each asks a broker, for metrics all of them
    private static final ObjectMapper JSON = new ObjectMapper();

    @RegisterExtension
    final Bench bench = new Bench();

    @ParameterizedTest
    @EnumSource(value = Engine.class, mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    void eachNodeShowsAllAndWhatBecomesOfThem(Engine engine) throws Exception {
        ServerDatabase database = engine.database(bench);
        BrokerProcess first = on(database).start();
        BrokerProcess second = on(database).launch().awaitLog("standing by");
        String one = first.amqpUrl();
        String two = second.amqpUrl();

        awaitBoth(first, second, Map.of(one, "ACTIVE [0]", two, "STANDBY []"));
        assertThat(Ports.isFree(second.amqpPort()))
                .as("a stand-by serves nobody")
                .isTrue();
        assertThat(first.http("/status").body()).contains(one, two);
        assertThat(second.http("/status").body()).contains(one, two);
        awaitMetric(second, "ringtable_nodes_alive", 2);
        awaitMetric(second, "ringtable_shards_owned", 0);
        awaitMetric(first, "ringtable_shards_owned", 1);

        first.pause();
        awaitNodes(second, Map.of(one, "LOST []", two, "ACTIVE [0]"));
        awaitMetric(second, "ringtable_nodes_lost", 1);

        first.resume();
        awaitBoth(first, second, Map.of(one, "STANDBY []", two, "ACTIVE [0]"));

        second.stop();
        awaitNodes(first, Map.of(one, "ACTIVE [0]"));

        BrokerProcess third = on(database).launch().awaitLog("standing by");
        awaitBoth(first, third, Map.of(one, "ACTIVE [0]", third.amqpUrl(), "STANDBY []"));
        third.kill();
        awaitNodes(first, Map.of(one, "ACTIVE [0]", third.amqpUrl(), "LOST []"));
    }

    private BrokerProcess on(ServerDatabase database) {
        return bench.broker(settings -> settings.store(database).with("ringtable.lease", LEASE.toSeconds() + "s"));
    }

    private static void awaitBoth(BrokerProcess first, BrokerProcess second, Map<String, String> nodes) {
        awaitNodes(first, nodes);
        awaitNodes(second, nodes);
    }

    private static void awaitNodes(BrokerProcess broker, Map<String, String> nodes) {
        await().atMost(PATIENCE).pollInterval(LOOK).until(() -> nodes(broker), nodes::equals);
    }

    /** Returns the state and the shards of each node by the URL of its clients, as a node tells it. */
    private static Map<String, String> nodes(BrokerProcess broker) throws Exception {
        BrokerProcess.Answer answer = broker.http("/api/v1/nodes");
        Map<String, String> nodes = new TreeMap<>();
        if (answer.status() == 200) {
            for (JsonNode node : JSON.readTree(answer.body()).path("items")) {
                nodes.put(node.path("url").asText(), node.path("state").asText() + " " + node.path("shards"));
            }
        }
        return nodes;
    }

    private static void awaitMetric(BrokerProcess broker, String name, double value) {
        await().atMost(PATIENCE).pollInterval(LOOK).until(() -> broker.metric(name) == value);
    }
}
