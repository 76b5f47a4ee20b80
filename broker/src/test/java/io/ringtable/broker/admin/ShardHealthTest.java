package io.ringtable.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.StoreLimits;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Health says what an accepted message can rely on, and is up either way: it was asked for. */
class ShardHealthTest {
    @Test
    void namesDelayedDurability() {
        Health health = health(new StoreLimits("SQL Server 2022", 1, 1, 1, false, "DELAYED_DURABILITY = FORCED", null));
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails())
                .containsEntry(
                        "durability",
                        "DELAYED (DELAYED_DURABILITY = FORCED): accepted messages can be lost in a crash");
    }

    @Test
    void saysFullWhereCommitsWaitForTheLog() {
        assertThat(health(new StoreLimits("SQLite", 1, 1, 1, true, null, null)).getDetails())
                .containsEntry("durability", "full (synced before accepted)");
    }

    @Test
    void isNotReadyForOneShardOfSeveralAndNamesIt() {
        Health health = health(
                List.of(shard(0, BrokerState.Phase.ACTIVE, "serving"), shard(1, BrokerState.Phase.STANDBY, "late")));

        assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(health.getDetails()).containsEntry("shards", Map.of("1", "STANDBY: late"));
    }

    /** A node of a cluster answers for its own shards: one that others own, or may take, is not among them. */
    @Test
    void isReadyWhateverOtherNodesDo() {
        ShardStatus others = shard(1, BrokerState.Phase.STANDBY, "another node owns it")
                .ownedBy(new ShardStatus.Owner("other", "amqp://other:5672"));
        ShardStatus free = shard(2, BrokerState.Phase.STANDBY, "free").ownedBy(null);
        ShardStatus own = shard(0, BrokerState.Phase.ACTIVE, "serving");

        assertThat(health(List.of(own, others, free)).getStatus()).isEqualTo(Status.UP);
        Health failing = health(List.of(own, others, shard(2, BrokerState.Phase.RESTARTING, "a failure")));
        assertThat(failing.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(failing.getDetails()).containsEntry("shards", Map.of("2", "RESTARTING: a failure"));
    }

    @Test
    void hasNoMoreToSayOfAnOnlyShardThanOfTheNode() {
        Health health = health(List.of(shard(0, BrokerState.Phase.STANDBY, "late")));

        assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(health.getDetails()).doesNotContainKey("shards");
    }

    private static ShardStatus shard(int number, BrokerState.Phase phase, String text) {
        return new ShardStatus(number, phase, text, null);
    }

    private static Health health(StoreLimits limits) {
        return health(limits, List.of(shard(0, BrokerState.Phase.ACTIVE, "serving")));
    }

    private static Health health(List<ShardStatus> shards) {
        return health(new StoreLimits("SQLite", 1, 1, 1, true, null, null), shards);
    }

    private static Health health(StoreLimits limits, List<ShardStatus> shards) {
        BrokerStatus status = new BrokerStatus(
                new BrokerState(BrokerState.Phase.ACTIVE, "serving"),
                limits.engine(),
                limits.durability(),
                limits.delayed() != null,
                "node",
                null,
                NodesStatus.NONE,
                shards);
        return new ShardHealth(() -> status, () -> null, () -> null).health();
    }
}
