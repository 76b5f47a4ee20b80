package io.ringtable.broker.ring;

/**
 * Divides the ids of addresses, subscriptions and producers among the shards. So an id tells its shard wherever it
 * stands: in a delivery tag, in a listing, in a call of {@code settle}.
 * <p>
 * Shard {@code k} gives the ids from {@code k * 2^40} to {@code (k + 1) * 2^40 - 1}. All of them are below 2^50, so a
 * JSON number holds each exactly. Ids of what lives in memory only are below 0, and their amounts are divided in the
 * same way. The SQL of the servers ({@code lay_ring}, {@code settle}, {@code delivery_code}) and the delivery tags of
 * module {@code wire} go by the same numbers.
 */
public final class ShardIds {
    /** Bits of an id within its shard: 1,099,511,627,776 ids, none of which is given twice. */
    public static final int BITS = 40;

    /** The highest number of a shard; the lowest is 0. */
    public static final int SHARD_MAX = 1023;

    private static final long VOLATILE_FIRST = -2; // -1 stands for none in several places

    private ShardIds() {}

    /** Returns the first id that the shard gives. */
    public static long first(int shard) {
        return (long) shard << BITS;
    }

    /** Returns the last id that the shard gives. */
    public static long last(int shard) {
        return first(shard + 1) - 1;
    }

    /** Returns the id from which the shard counts down for what lives in memory only. */
    public static long firstVolatile(int shard) {
        return VOLATILE_FIRST - first(shard);
    }

    /** Answers whether the id may be the one that the shard gives next; after its last id no more follows. */
    public static boolean isNext(int shard, long nextId) {
        return first(shard) <= nextId && nextId <= first(shard + 1);
    }

    /** Returns the number of the shard that has given the id, volatile or not. */
    public static int shardOf(long id) {
        return (int) (Math.abs(id) >> BITS);
    }
}
