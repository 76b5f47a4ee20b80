package io.ringtable.broker.metrics;

import io.micrometer.core.instrument.Tags;

/**
 * Tells the meters of one shard from those of others. With one shard there is no tag: its series are those of a broker
 * that knows no more (ADR 54).
 */
final class ShardTags {
    private static final String SHARD = "shard";

    private ShardTags() {}

    /** Tags what belongs to a shard. @param shards how many the process has */
    static Tags of(int shard, int shards) {
        return shards == 1 ? Tags.empty() : Tags.of(SHARD, String.valueOf(shard));
    }

    /**
     * Tags what belongs to no shard, but has the name of something that does. All meters of a name have the same tags,
     * and Prometheus reads an empty one as none.
     */
    static Tags ofNone(int shards) {
        return shards == 1 ? Tags.empty() : Tags.of(SHARD, "");
    }
}
