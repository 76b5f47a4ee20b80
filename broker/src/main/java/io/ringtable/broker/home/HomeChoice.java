package io.ringtable.broker.home;

import io.ringtable.broker.dispatch.Shard;
import java.util.List;

/**
 * Chooses the home of a new address: the shard with the fewest addresses, and with the lowest number among equals.
 * Addresses that a shard has been asked for count as its own, so that many that are created at once are spread too.
 * <p>
 * Thread: any.
 */
final class HomeChoice {
    private final List<? extends Shard> shards;
    private final int[] asked; // addresses whose creation has no answer yet, by shard; under the lock

    HomeChoice(List<? extends Shard> shards) {
        this.shards = shards;
        this.asked = new int[shards.size()];
    }

    /** Returns the number of a shard; {@link #answered} must follow. */
    synchronized int next() {
        int best = 0;
        int least = Integer.MAX_VALUE;
        for (int shard = 0; shard < asked.length; shard++) {
            int addresses = shards.get(shard).lookup().size() + asked[shard];
            if (addresses < least) {
                best = shard;
                least = addresses;
            }
        }
        asked[best]++;
        return best;
    }

    /** Hears that the creation in that shard has its answer, good or bad. */
    synchronized void answered(int shard) {
        asked[shard]--;
    }
}
