package io.ringtable.broker;

import io.ringtable.broker.ownership.LeaseKeeper;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds the periods of owning the shards of this node, by number. A lease is renewed from the moment that its shard is
 * taken, also while others are not.
 * <p>
 * Thread: housekeeper.
 */
final class Tenures implements AutoCloseable {
    private final List<Tenure> all = new ArrayList<>();
    private final List<LeaseKeeper> keepers = new ArrayList<>();

    void add(Tenure tenure, LeaseKeeper keeper) {
        all.add(tenure);
        keepers.add(keeper);
    }

    Tenure of(int shard) {
        return all.get(shard);
    }

    LeaseKeeper keeper(int shard) {
        return keepers.get(shard);
    }

    int count() {
        return all.size();
    }

    /** Ends the renewals. */
    @Override
    public void close() {
        keepers.forEach(LeaseKeeper::close);
    }
}
