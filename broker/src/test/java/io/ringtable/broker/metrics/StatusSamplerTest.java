package io.ringtable.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.status.ShardStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** For how long a shard is away of a node that serves others; the clock is the test's. */
class StatusSamplerTest {
    private final StatusSampler sampler =
            new StatusSampler(() -> status(Phase.ACTIVE, Phase.ACTIVE), List::of, new AmqpCounters(), () -> null);

    @AfterEach
    void close() {
        sampler.close();
    }

    /** @param shards by number */
    private static BrokerStatus status(Phase broker, Phase... shards) {
        List<ShardStatus> all = new ArrayList<>();
        for (Phase phase : shards) {
            all.add(new ShardStatus(all.size(), phase, "the test says so", null));
        }
        return new BrokerStatus(
                new BrokerState(broker, "the test says so"),
                "engine",
                "durability",
                false,
                "node",
                null,
                new NodesStatus(List.of(), null),
                all);
    }

    private void look(long second, BrokerStatus status) {
        sampler.lookForAway(status, TimeUnit.SECONDS.toNanos(second));
    }

    private double away(int shard, long second) {
        return sampler.awaySeconds(shard, TimeUnit.SECONDS.toNanos(second));
    }

    @Test
    void theTimeOfAShardThatIsAwayRunsFromTheFirstLookUntilItIsServedAgain() {
        look(100, status(Phase.ACTIVE, Phase.ACTIVE, Phase.ACTIVE));
        assertThat(away(1, 104)).isZero();
        look(105, status(Phase.ACTIVE, Phase.ACTIVE, Phase.RESTARTING));
        look(110, status(Phase.ACTIVE, Phase.ACTIVE, Phase.STANDBY));
        look(115, status(Phase.ACTIVE, Phase.ACTIVE, Phase.FAILED));
        assertThat(away(0, 116)).isZero();
        assertThat(away(1, 116)).isEqualTo(11);
        look(120, status(Phase.ACTIVE, Phase.ACTIVE, Phase.ACTIVE));
        assertThat(away(1, 121)).isZero();
        look(125, status(Phase.ACTIVE, Phase.ACTIVE, Phase.STANDBY));
        assertThat(away(1, 127)).isEqualTo(2);
    }

    @Test
    void noTimeRunsForAShardThatAnotherNodeOwns() {
        ShardStatus.Owner other = new ShardStatus.Owner("other", "amqp://other:5672");
        BrokerStatus owned = status(Phase.ACTIVE, Phase.ACTIVE, Phase.STANDBY);
        look(100, shared(owned, other));
        assertThat(away(1, 200)).isZero();
        look(200, shared(owned, null)); // nobody has it
        look(210, shared(owned, null));
        assertThat(away(1, 215)).isEqualTo(15);
        look(220, shared(owned, other));
        assertThat(away(1, 225)).isZero();
    }

    private static BrokerStatus shared(BrokerStatus status, ShardStatus.Owner ownerOfOthers) {
        return new BrokerStatus(
                status.state(),
                status.engine(),
                status.durability(),
                status.delayedDurability(),
                status.node(),
                status.shortage(),
                status.nodes(),
                status.shards().stream()
                        .map(shard -> shard.isActive() ? shard : shard.ownedBy(ownerOfOthers))
                        .toList());
    }

    /** Another alert tells of a node that serves nobody, and a stand-by has nothing to serve. */
    @Test
    void noTimeRunsWhileTheNodeServesNobody() {
        look(100, status(Phase.STANDBY, Phase.STANDBY, Phase.STANDBY));
        assertThat(away(1, 200)).isZero();
        look(200, status(Phase.ACTIVE, Phase.ACTIVE, Phase.STANDBY));
        assertThat(away(1, 203)).isEqualTo(3);
        look(205, status(Phase.RESTARTING, Phase.RESTARTING, Phase.RESTARTING));
        assertThat(away(1, 206)).isZero();
    }
}
