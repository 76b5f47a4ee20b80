package io.ringtable.broker.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ringtable.broker.ring.ShardIds;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreSettingsTest {
    private static final StoreSettings FIRST = StoreSettings.embedded(Path.of("unused"));

    @Test
    void areForTheFirstShardUnlessSaid() {
        assertThat(FIRST.shardId()).isZero();
        assertThat(FIRST.ofShard(7).shardId()).isEqualTo(7);
        assertThat(FIRST.ofShard(7).ofShard(0)).isEqualTo(FIRST);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, ShardIds.SHARD_MAX + 1})
    void aShardBeyondTheBoundsIsRefused(int shard) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FIRST.ofShard(shard))
                .withMessageStartingWith("RT-1190 shard " + shard + " is not between 0 and 1023");
    }
}
