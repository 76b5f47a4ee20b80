package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.config.Bound;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.ring.ShardIds;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Holds where a store lies, which shard it is for, and how the broker speaks with it.
 *
 * @param properties without a URL the store is the embedded SQLite file {@code ringtable.db} in {@code dataDir}
 * @param dataDir directory of the embedded file; created if missing
 * @param shardId number of the shard, 0 to {@value ShardIds#SHARD_MAX}. Several shards may lie in one database of a
 *     server. On SQLite each has a file of its own beside that of shard 0, e.g. {@code ringtable-shard-3.db}.
 */
public record StoreSettings(StoreProperties properties, Path dataDir, int shardId) {

    /** @throws IllegalArgumentException (RT-1190) if there can be no shard of that number */
    public StoreSettings {
        Objects.requireNonNull(properties, "properties");
        Objects.requireNonNull(dataDir, "dataDir");
        if (shardId < 0 || shardId > ShardIds.SHARD_MAX) {
            throw new IllegalArgumentException("RT-1190 shard " + shardId + " is not between 0 and "
                    + ShardIds.SHARD_MAX + ": open the store for a shard of these");
        }
    }

    /** Holds the settings of shard 0. */
    public StoreSettings(StoreProperties properties, Path dataDir) {
        this(properties, dataDir, 0);
    }

    /** Returns the settings of another shard in the same place. */
    public StoreSettings ofShard(int shard) {
        return new StoreSettings(properties, dataDir, shard);
    }

    /** Returns the settings of the embedded file in the directory, everything else at its default. */
    public static StoreSettings embedded(Path dataDir) {
        return of(null, null, null, dataDir);
    }

    /** Returns the settings of the database at the URL, everything else at its default. */
    public static StoreSettings of(String url, String username, String password, Path dataDir) {
        Map<String, String> given = new HashMap<>();
        given.put("ringtable.store.url", url);
        given.put("ringtable.store.username", username);
        given.put("ringtable.store.password", password);
        given.values().removeIf(Objects::isNull);
        return new StoreSettings(Bound.of(StoreProperties.class, given), dataDir);
    }
}
