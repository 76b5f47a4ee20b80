package io.ringtable.benchmarks.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ScalingTest {
    /** A message takes 20 us, of which 10 are the committer's turn with its session: 100,000 a second for one shard. */
    private static final Scaling.Costs COSTS = new Scaling.Costs(13, 7, 3, 2);

    @Test
    void oneShardIsBoundByItsCommitterAndItsSession() {
        assertThat(COSTS.together(64, 1)).isCloseTo(100_000, within(1e-6));
        assertThat(COSTS.apart(3, 16, 1)).isCloseTo(100_000, within(1e-6));
    }

    @Test
    void manyShardsAreBoundByTheProcessors() {
        assertThat(COSTS.together(2, 8)).isCloseTo(100_000, within(1e-6));
        assertThat(COSTS.together(16, 32)).isCloseTo(800_000, within(1e-6));
        assertThat(COSTS.apart(1, 7, 32)).isCloseTo(1_000_000, within(1e-6));
    }

    @Test
    void aSlowDispatcherIsTheBound() {
        assertThat(new Scaling.Costs(40, 1, 1, 25).shardMost()).isCloseTo(40_000, within(1e-6));
    }

    @Test
    void theModelHasARowForEachMachine() {
        assertThat(Scaling.model(COSTS).toString().lines())
                .hasSize(8)
                .anyMatch(line -> line.startsWith("| 16 processors") && line.contains("800,000"));
    }

    @Test
    void otherBrokersAreRefused() {
        assertThatThrownBy(() -> Scaling.main(new String[] {"brokers=artemis"}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("brokers=artemis");
    }
}
