package io.ringtable.broker.shard;

import io.ringtable.broker.store.StoreFailure;

/** Says what happens to one call. */
enum DirectoryFault {
    NONE,
    /** The process dies before the call. */
    CRASH_BEFORE,
    /** The process dies after the call. */
    CRASH_AFTER,
    /** The call is made, and nobody hears of it. */
    ANSWER_LOST,
    /** The call is not made, and its caller may ask again. */
    FAILS,
    /** The process is frozen in a call of the directory, which is made after another one has taken its shards. */
    LATE;

    /** Returns the same for a call of a shard, where the epoch keeps late calls out; null = nothing. */
    FaultyStore.Fault ofShard() {
        return switch (this) {
            case NONE -> null;
            case CRASH_BEFORE, LATE -> FaultyStore.Fault.crash(false);
            case CRASH_AFTER -> FaultyStore.Fault.crash(true);
            case ANSWER_LOST -> FaultyStore.Fault.after(StoreFailure.Kind.OUTCOME_UNKNOWN);
            case FAILS -> FaultyStore.Fault.before(StoreFailure.Kind.UNAVAILABLE);
        };
    }
}
