package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.ring.ShardIds;
import jakarta.jms.JMSConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;

/** Moves addresses of a broker with several shards, as an administrator does, and reads what clients get. */
record MovingAddresses(TestBroker broker, Administrator administrator, int shards) {
    static final long WAIT_MS = 60_000;

    int homeOf(String address) {
        return ShardIds.shardOf(broker.shard().lookup().find(address).id());
    }

    /** Returns the number of a shard in which the address does not live. */
    int elsewhere(String address) {
        return (homeOf(address) + 1) % shards;
    }

    /** Begins to move the address to another shard. @return its number */
    int move(String address) {
        int to = elsewhere(address);
        administrator.ask(202, "POST", "/addresses/" + address + "/move?shard=" + to, null);
        return to;
    }

    JsonNode shown(String address) {
        return administrator.get("/addresses/" + address);
    }

    boolean isMoving(String address) {
        JsonNode shown = shown(address);
        return shown.has("moving") && !shown.get("moving").isNull();
    }

    void awaitMoved(String address, int to) {
        Awaitility.await().untilAsserted(() -> {
            assertThat(isMoving(address)).isFalse();
            assertThat(shown(address).get("shards").toString()).isEqualTo("[" + to + "]");
        });
    }

    static List<String> receive(JMSConsumer consumer, int count) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(consumer.receiveBody(String.class, WAIT_MS));
        }
        return all;
    }

    static List<String> texts(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "m " + i).toList();
    }
}
