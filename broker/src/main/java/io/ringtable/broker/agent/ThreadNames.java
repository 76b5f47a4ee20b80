package io.ringtable.broker.agent;

/** Names the threads of shards. Those of shard 0 have plain names, as ever; those of shard 3 end with {@code -3}. */
public final class ThreadNames {
    private ThreadNames() {}

    /** Returns the name of a thread. @param role what it does, the same in every shard */
    public static String of(String role, int shard) {
        return shard == 0 ? role : role + "-" + shard;
    }
}
