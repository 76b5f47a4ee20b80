package io.ringtable.broker.store;

import java.util.List;
import java.util.Set;

/**
 * Tells which shards lie in a database, and where it knows the others to be.
 *
 * @param held numbers of the shards that have a ring in the database
 * @param recorded rows for all shards of a broker with several databases; none while all lie in one
 */
public record Placements(Set<Integer> held, List<PlacedShard> recorded) {
    public static final Placements NONE = new Placements(Set.of(), List.of());

    /** Returns what the database keeps about a shard; null if nothing. */
    public PlacedShard of(int shard) {
        return recorded.stream().filter(row -> row.shard() == shard).findFirst().orElse(null);
    }
}
