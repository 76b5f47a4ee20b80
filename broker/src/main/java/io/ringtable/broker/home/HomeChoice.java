package io.ringtable.broker.home;

import io.ringtable.broker.dispatch.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/**
 * Chooses the home of a new address, or those of its parts. An affinity has a home of its own. Else it is the shards
 * with the fewest addresses, and with the lowest numbers among equals. Addresses that a shard has been asked for count
 * as its own. So many that are created at once are spread too.
 * <p>
 * Thread: any.
 */
final class HomeChoice {
    private final List<? extends Shard> shards;
    private final IntSupplier begun;
    private final Affinities affinities;
    private final int[] asked; // addresses whose creation has no answer yet, by shard; under the lock

    /** @param begun gives how many of the shards may be chosen */
    HomeChoice(List<? extends Shard> shards, IntSupplier begun) {
        this.shards = shards;
        this.begun = begun;
        this.affinities = new Affinities(shards);
        this.asked = new int[shards.size()];
    }

    /**
     * Returns the numbers of so many shards, in ascending order; {@link #answered} must follow. With an affinity they
     * are neighbours, so that queues of one affinity with as many parts have a key in the same shard.
     *
     * @param count 1 to the number of shards that have begun and are not taken
     * @param taken shards that are out of the question
     */
    int[] next(String name, int count, List<Integer> taken) {
        int together = together(name);
        synchronized (this) {
            int[] homes = together == Affinities.NONE ? withFewest(count, taken) : neighbours(together, count, taken);
            for (int home : homes) {
                asked[home]++;
            }
            return homes;
        }
    }

    /** Returns where the affinity of a name lives; {@link Affinities#NONE} if it has none. */
    int together(String name) {
        return affinities.homeOf(name, () -> {
            List<Integer> away = away();
            return fewest(away.size() < begun.getAsInt() ? away : List.of());
        });
    }

    /**
     * Returns the shards that make nothing new: those that are away. A node without any shard has others make it, so of
     * that node those that no other one has either.
     */
    List<Integer> away() {
        int all = begun.getAsInt();
        List<AwayShard> away = IntStream.range(0, all)
                .mapToObj(number -> AwayShard.of(shards, number))
                .filter(Objects::nonNull)
                .toList();
        return away.stream()
                .filter(each -> away.size() < all || each.elsewhere() == null)
                .map(AwayShard::number)
                .toList();
    }

    /** Returns what is known of the homes of affinities. */
    Affinities affinities() {
        return affinities;
    }

    private int[] withFewest(int count, List<Integer> taken) {
        List<Integer> out = new ArrayList<>(taken);
        for (int i = 0; i < count; i++) {
            out.add(fewest(out));
        }
        return out.stream()
                .skip(taken.size())
                .mapToInt(Integer::intValue)
                .sorted()
                .toArray();
    }

    /** @param together has begun, whether this node has heard of that or not */
    private int[] neighbours(int together, int count, List<Integer> taken) {
        int all = Math.max(begun.getAsInt(), together + 1);
        int first = Math.min(together, all - count - taken.size());
        return IntStream.range(0, all)
                .map(i -> Math.floorMod(first + i, all))
                .filter(shard -> !taken.contains(shard))
                .limit(count)
                .sorted()
                .toArray();
    }

    private synchronized int fewest(List<Integer> out) {
        int best = -1;
        int least = Integer.MAX_VALUE;
        int all = begun.getAsInt();
        for (int shard = 0; shard < all; shard++) {
            int addresses = shards.get(shard).lookup().size() + asked[shard];
            if (addresses < least && !out.contains(shard)) {
                best = shard;
                least = addresses;
            }
        }
        return best;
    }

    /** Hears that the creation in those shards has its answer, good or bad. */
    synchronized void answered(int[] homes) {
        for (int home : homes) {
            asked[home]--;
        }
    }
}
