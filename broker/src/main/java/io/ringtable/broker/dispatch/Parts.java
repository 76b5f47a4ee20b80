package io.ringtable.broker.dispatch;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.ring.ShardIds;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Chooses among the parts of one address. A key goes to the part whose shard has the highest weight for it (rendezvous
 * hashing). So a part that comes takes keys from all others, and one that goes gives its keys to all others. No other
 * key moves (ADR 58).
 * <p>
 * Thread: any.
 */
public final class Parts {
    private final List<Address> all;
    private final long[] shards; // as the weight has them, by part
    private final AtomicInteger links; // counts those that have asked
    private final boolean complete;

    /**
     * Makes the choice.
     *
     * @param all the parts, by shard, also of shards that are away; at least one
     * @param links counts the links of the address
     * @param complete false while more parts are being made: nothing may be published yet
     */
    public Parts(List<Address> all, AtomicInteger links, boolean complete) {
        this.all = List.copyOf(all);
        this.shards = this.all.stream()
                .mapToLong(part -> mix(ShardIds.shardOf(part.id()) + 1L))
                .toArray();
        this.links = links;
        this.complete = complete;
    }

    /** Makes the choice that there is none: all messages go to one part. */
    public static Parts alone(Address part) {
        return new Parts(List.of(part), new AtomicInteger(), true);
    }

    /** Returns the parts, by shard. */
    public List<Address> all() {
        return all;
    }

    /** Tells whether all parts have been made, whether their shards are away or not. */
    public boolean areComplete() {
        return complete;
    }

    /** Returns the part of all messages of a key. @param key its number, as in {@link PartKey} */
    public Address of(long key) {
        return all.get(indexOf(key));
    }

    /** Returns the place of that part among all. */
    public int indexOf(long key) {
        int best = 0;
        long most = Long.MIN_VALUE;
        for (int part = 0; part < shards.length; part++) {
            long weight = mix(key ^ shards[part]);
            if (weight > most) {
                best = part;
                most = weight;
            }
        }
        return best;
    }

    /** Returns the place of the part that gets what a new link publishes without a key: each in turn. */
    public int ofNextLink() {
        return Math.floorMod(links.getAndIncrement(), all.size());
    }

    /** Spreads the bits of a number over all of it (the end of SplitMix64). */
    private static long mix(long number) {
        long mixed = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
