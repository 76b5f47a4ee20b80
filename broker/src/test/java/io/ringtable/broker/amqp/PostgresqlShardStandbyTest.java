package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.admin.ShardHealth;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.databind.JsonNode;

/** Two nodes and three shards of one database: what the node that stands by says of each. */
@Timeout(120)
class PostgresqlShardStandbyTest extends StandbyScenario {
    private static final TestSettings SETTINGS = TestSettings.of("ringtable.shards", 3, "ringtable.lease", "2s");

    private static Health health(TestBroker node) {
        return new ShardHealth(node::status, () -> null, () -> null).health();
    }

    @Test
    void itWaitsForTheFirstShardAndIsReadyOnceItHasAll() {
        TestBroker first = node("first", SETTINGS);
        try (TestBroker second = node("second", SETTINGS)) {
            Health waiting = health(second);
            assertThat(waiting.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(waiting.getDetails().get("shards")).isInstanceOfSatisfying(Map.class, shards -> {
                assertThat(shards.get("0"))
                        .asString()
                        .startsWith("STANDBY: node ")
                        .contains("owns shard 0");
                assertThat(shards.get("1")).isEqualTo("STARTING: not taken yet");
                assertThat(shards.get("2")).isEqualTo("STARTING: not taken yet");
            });
            assertThat(health(first).getStatus()).isEqualTo(Status.UP);

            first.close();

            Awaitility.await().until(() -> health(second).getStatus().equals(Status.UP));
            for (JsonNode shard : Administrator.of(second, "").get("/shards").path("items")) {
                assertThat(shard.path("state").asString()).isEqualTo("ACTIVE");
                assertThat(shard.path("engine").asString()).startsWith("PostgreSQL");
            }
        } finally {
            first.close();
        }
    }
}
