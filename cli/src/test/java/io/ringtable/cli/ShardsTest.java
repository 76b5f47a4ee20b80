package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.process.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Administers a broker with three shards, in a process of its own. */
class ShardsTest {
    @TempDir
    static Path directory;

    private static BrokerProcess broker;

    @BeforeAll
    static void startBroker() {
        broker = PackagedBroker.start(directory, "--ringtable.shards=3");
        for (String queue : List.of("a", "b", "c")) {
            done("address", "create", "queue://" + queue);
            done("message", "send", queue, "--body", "one");
        }
    }

    @AfterAll
    static void stopBroker() {
        PackagedBroker.stop(broker);
    }

    private static Run run(String... arguments) {
        return Run.of(Stream.concat(
                        Stream.of(arguments),
                        Stream.of("--http", broker.httpUrl().toString()))
                .toArray(String[]::new));
    }

    private static Run done(String... arguments) {
        Run run = run(arguments);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.DONE);
        return run;
    }

    private static List<JsonNode> json(String... arguments) {
        List<JsonNode> items = new ArrayList<>();
        done(Stream.concat(Stream.of(arguments), Stream.of("--output", "json")).toArray(String[]::new))
                .lines()
                .forEach(line -> items.add(JsonMapper.shared().readTree(line)));
        return items;
    }

    @Test
    void shardsAreListedAsATableAndAsJson() {
        List<String> table = done("shard", "list").lines();
        List<JsonNode> shards = json("shard", "list");

        assertThat(table.get(0))
                .matches("number  state +epoch +addresses  messages  filled  backlog messages  engine +store .*");
        assertThat(table.subList(1, table.size()))
                .satisfiesExactly(
                        line -> assertThat(line).matches(" +0  ACTIVE  \\d+ +2 +1 .*SQLite.* main .*"),
                        line -> assertThat(line).matches(" +1  ACTIVE  \\d+ +2 +1 .*SQLite.* main .*"),
                        line -> assertThat(line).matches(" +2  ACTIVE  \\d+ +2 +1 .*SQLite.* main .*"));
        assertThat(shards).extracting(shard -> shard.path("number").asInt()).containsExactly(0, 1, 2);
        assertThat(shards).allMatch(shard -> shard.path("capacity").asInt() == PackagedBroker.RING_CAPACITY);
        assertThat(json("shard", "list", "--limit", "2")).hasSize(2);
    }

    @Test
    void aQueueMovesByCommandAndARefusalNamesTheCure() {
        done("address", "create", "queue://travels");
        int from =
                json("address", "show", "travels").get(0).path("shards").path(0).asInt();
        String to = Integer.toString((from + 1) % 3);
        assertThat(done("address", "move", "travels", to).out()).contains("travels moves to shard " + to);
        Run refused = run("address", "move", "travels", "7");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(refused.err()).contains("RT-4622");
        Awaitility.await()
                .pollInterval(Duration.ofMillis(100))
                .until(() -> json("address", "show", "travels")
                        .get(0)
                        .path("shards")
                        .toString()
                        .equals("[" + to + "]"));
        done("address", "delete", "travels");
    }

    @Test
    void addressesNameTheirShard() {
        List<JsonNode> ofOne = json("address", "list", "--shard", "1");
        String lives = ofOne.stream()
                .map(address -> address.path("name").asString())
                .filter(name -> !name.equals("DLQ"))
                .findFirst()
                .orElseThrow();

        assertThat(ofOne).hasSize(2); // a queue, and a part of the dead-letter queue
        assertThat(done("address", "list").lines().get(0)).contains("shards");
        assertThat(done("address", "show", lives).lines()).anyMatch(line -> line.matches("shards +1"));
        assertThat(done("address", "show", "DLQ").lines()).anyMatch(line -> line.matches("shards +0, 1, 2"));
        assertThat(run("address", "list", "--shard", "3").err()).startsWith("RT-7722 ");
    }

    @Test
    void statusHasALineForEachShardAndForWhatKeepsItsRingFilled() {
        List<String> lines = done("status").lines();

        for (int shard = 0; shard < 3; shard++) {
            String head = "shard " + shard;
            int at = lines.indexOf(lines.stream()
                    .filter(line -> line.startsWith(head))
                    .findFirst()
                    .orElseThrow());
            assertThat(lines.get(at))
                    .matches("shard \\d {4}epoch \\d+, gate 0, next \\d+, room for .* of 16,384 messages,"
                            + " 0 in the backlog, \\d+ in/s, 0 out/s");
            assertThat(lines.get(at + 1)).matches(" {11}owed in its ring: [abc] 1");
        }
        assertThat(lines).filteredOn(line -> line.startsWith("DLQ")).hasSize(1);
    }
}
