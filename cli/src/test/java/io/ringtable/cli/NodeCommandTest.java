package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shows the nodes of a database as a broker lists them. */
class NodeCommandTest {
    private ScriptedBroker broker;

    @BeforeEach
    void start() throws Exception {
        broker = new ScriptedBroker();
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private Run run(String... arguments) {
        return Run.of(Stream.concat(
                        Stream.of(arguments), Stream.of("--http", broker.url().toString()))
                .toArray(String[]::new));
    }

    @Test
    void nodesAreListedAsATableAndAsJsonAndFiltered() {
        String nodes = """
                {"items": [
                  {"id": "4a1f", "description": "alpha pid 7", "state": "ACTIVE", "self": false, "version": "0.2.0",
                   "url": "amqp://alpha:5672", "seenMsAgo": 1800, "shards": [0, 2], "epochs": ["1764", "1765"],
                   "knows": 4},
                  {"id": "9c02", "description": "beta pid 8", "state": "STANDBY", "self": true, "version": "0.2.0",
                   "url": "amqp://beta:5672", "seenMsAgo": 20, "shards": [], "epochs": [], "knows": null}]}
                """;
        broker.on("GET /api/v1/nodes?limit=1000", 200, nodes)
                .on("GET /api/v1/nodes?filter=ALPHA&limit=1000", 200, "{\"items\": []}");

        assertThat(run("node", "list").lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .matches("description +state +shards +knows +version +url +seen ms ago +id"),
                        line -> assertThat(line)
                                .matches("alpha pid 7 +ACTIVE +0, 2 +4 +0[.]2[.]0 +amqp://alpha:5672 +1,800 +4a1f"),
                        line -> assertThat(line).matches("beta pid 8 +STANDBY +0[.]2[.]0 +amqp://beta:5672 +20 +9c02"));
        assertThat(run("node", "list", "--output", "json").lines())
                .hasSize(2)
                .first()
                .asString()
                .contains("\"epochs\":[\"1764\",\"1765\"]");
        assertThat(run("node", "list", "--filter", "ALPHA").lines()).containsExactly("(none)");
    }

    @Test
    void statusNamesTheOtherNodesAndWhatKeepsThemFromBeingSeen() {
        broker.on("GET /status", 200, """
                {"state": "STANDBY", "node": "beta pid 8", "nodesTrouble": "RT-4543 another process has the id",
                 "nodes": [
                  {"id": "4a1f", "description": "alpha pid 7", "state": "ACTIVE", "self": false, "seenMsAgo": 1800,
                   "shards": [{"shard": 0, "epoch": 5}, {"shard": 2, "epoch": 6}]},
                  {"id": "77aa", "description": "gamma pid 9", "state": "UNSEEN", "self": false, "shards": []},
                  {"id": "9c02", "description": "beta pid 8", "state": "STANDBY", "self": true, "seenMsAgo": 20,
                   "shards": []}]}
                """);

        assertThat(run("status").lines())
                .containsSubsequence(
                        "node       beta pid 8",
                        "other node alpha pid 7: ACTIVE, shards 0, 2, seen 1 s ago",
                        "other node gamma pid 9: UNSEEN",
                        "NODES      not seen rightly: RT-4543 another process has the id")
                .filteredOn(line -> line.startsWith("other node"))
                .hasSize(2);
    }
}
