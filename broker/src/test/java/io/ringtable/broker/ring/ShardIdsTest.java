package io.ringtable.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardIdsTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, ShardIds.SHARD_MAX})
    void everyIdTellsItsShard(int shard) {
        assertThat(ShardIds.shardOf(ShardIds.first(shard))).isEqualTo(shard);
        assertThat(ShardIds.shardOf(ShardIds.last(shard))).isEqualTo(shard);
        assertThat(ShardIds.shardOf(ShardIds.firstVolatile(shard))).isEqualTo(shard);
        assertThat(ShardIds.shardOf(ShardIds.firstVolatile(shard) - 1_000_000)).isEqualTo(shard);
    }

    @Test
    void theFirstShardHasTheIdsThatItHadBeforeThereWereOthers() {
        assertThat(ShardIds.first(0)).isZero();
        assertThat(ShardIds.firstVolatile(0)).isEqualTo(-2);
    }

    @Test
    void aJsonNumberHoldsTheHighestId() {
        assertThat(ShardIds.last(ShardIds.SHARD_MAX)).isLessThan(1L << 53);
    }

    @Test
    void afterTheLastIdNoneFollows() {
        assertThat(ShardIds.isNext(3, ShardIds.first(3))).isTrue();
        assertThat(ShardIds.isNext(3, ShardIds.last(3) + 1)).isTrue();
        assertThat(ShardIds.isNext(3, ShardIds.last(3) + 2)).isFalse();
        assertThat(ShardIds.isNext(3, ShardIds.first(3) - 1)).isFalse();
    }
}
