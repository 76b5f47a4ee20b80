package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.sqlite.SqliteFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Names the files of all shards of a store, or of a backup of it: that of shard 0, and the others beside it. */
final class ShardFiles {
    private ShardFiles() {}

    /**
     * Returns the files of so many shards, whether they exist or not.
     *
     * @param first that of shard 0
     */
    static List<Path> of(Path first, int shards) {
        return IntStream.range(0, shards)
                .mapToObj(shard -> SqliteFile.ofShard(first, shard))
                .toList();
    }

    /** Returns how many shards there are, by the highest number among the files; 1 where there is nothing at all. */
    static int count(Path first) {
        return IntStream.rangeClosed(1, ShardIds.SHARD_MAX)
                        .filter(shard -> Files.exists(SqliteFile.ofShard(first, shard)))
                        .max()
                        .orElse(0)
                + 1;
    }
}
