package io.ringtable.broker.home;

import io.ringtable.broker.dispatch.Shard;
import java.util.List;

/**
 * Chooses the home of a new address: that of its affinity, or else the shard with the fewest addresses, the lowest
 * number among equals. Addresses that a shard has been asked for count as its own, so that many that are created at
 * once are spread too.
 * <p>
 * Thread: any.
 */
final class HomeChoice {
    private final List<? extends Shard> shards;
    private final Affinities affinities;
    private final int[] asked; // addresses whose creation has no answer yet, by shard; under the lock

    HomeChoice(List<? extends Shard> shards) {
        this.shards = shards;
        this.affinities = new Affinities(shards);
        this.asked = new int[shards.size()];
    }

    /** Returns the number of a shard; {@link #answered} must follow. */
    int next(String name) {
        int together = affinities.homeOf(name, this::fewest);
        synchronized (this) {
            int home = together == Affinities.NONE ? fewest() : together;
            asked[home]++;
            return home;
        }
    }

    private synchronized int fewest() {
        int best = 0;
        int least = Integer.MAX_VALUE;
        for (int shard = 0; shard < asked.length; shard++) {
            int addresses = shards.get(shard).lookup().size() + asked[shard];
            if (addresses < least) {
                best = shard;
                least = addresses;
            }
        }
        return best;
    }

    /** Hears that the creation in that shard has its answer, good or bad. */
    synchronized void answered(int shard) {
        asked[shard]--;
    }
}
