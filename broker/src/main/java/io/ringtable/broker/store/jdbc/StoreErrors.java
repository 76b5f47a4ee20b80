package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;

/** Makes the failures that stores find by themselves, each with its code; engines use the same words. */
public final class StoreErrors {
    private StoreErrors() {}

    /** Makes the driver's failure as the caller is told it. */
    public static StoreFailure of(Kind kind, String verb, Throwable cause) {
        return new StoreFailure(kind, code(kind), verb + " failed: " + cause.getMessage() + cure(kind), cause);
    }

    public static StoreFailure fenced(long epoch, long shardEpoch) {
        return new StoreFailure(
                Kind.FENCED,
                "RT-3015",
                "epoch " + epoch + " is not the shard's epoch " + shardEpoch + ": another owner has taken it");
    }

    /** Makes the same failure if the statement does not tell the shard's epoch. */
    public static StoreFailure fencedByAnother(long epoch) {
        return new StoreFailure(
                Kind.FENCED, "RT-3015", "epoch " + epoch + " is not the shard's: another owner has taken it");
    }

    public static StoreFailure wrongGate(long gate, long shardGate) {
        return corrupt("gate " + gate + " is not the shard's gate " + shardGate);
    }

    /** Makes the failure of a statement that changed another number of rows than it must. */
    public static StoreFailure count(String what, long expected, long actual) {
        return corrupt(what + ": " + actual + " rows changed where " + expected + " must");
    }

    public static StoreFailure corrupt(String relation) {
        return new StoreFailure(
                Kind.CORRUPT,
                "RT-3016",
                relation + "; nothing was changed, the shard stops: keep a copy of the database and report this");
    }

    /** Makes the failure of a message that is read otherwise than it was written. */
    public static StoreFailure damaged(String relation) {
        return new StoreFailure(Kind.CORRUPT, "RT-3016", relation + "; nothing was changed");
    }

    public static StoreFailure refused(String relation) {
        return new StoreFailure(Kind.REFUSED, "RT-3011", relation);
    }

    /** Makes the failure of a change that gives an id which is another shard's. */
    public static StoreFailure idOfAnotherShard(long id, int shard) {
        return new StoreFailure(
                Kind.REFUSED,
                "RT-3070",
                "id " + id + " is not between " + ShardIds.first(shard) + " and " + ShardIds.last(shard)
                        + ", the ids of shard " + shard + "; nothing was changed. If the shard has given all of its"
                        + " own, create what is new in another shard");
    }

    public static StoreFailure unsupported(String code, String text) {
        return new StoreFailure(Kind.UNSUPPORTED, code, text + "; nothing was touched");
    }

    public static StoreFailure closed() {
        return new StoreFailure(Kind.UNAVAILABLE, "RT-3013", "the store is closed");
    }

    /** Makes the failure of a server that is not the primary, or is not yet. */
    public static StoreFailure replica(String relation) {
        return new StoreFailure(Kind.UNAVAILABLE, "RT-3022", relation + "; nothing was touched");
    }

    private static String code(Kind kind) {
        return switch (kind) {
            case RETRYABLE -> "RT-3010";
            case REFUSED -> "RT-3011";
            case NOT_WRITABLE -> "RT-3012";
            case UNAVAILABLE -> "RT-3013";
            case OUTCOME_UNKNOWN -> "RT-3014";
            case FENCED -> "RT-3015";
            case CORRUPT -> "RT-3016";
            case UNSUPPORTED -> "RT-3017";
        };
    }

    private static String cure(Kind kind) {
        return switch (kind) {
            case RETRYABLE, FENCED -> "";
            case REFUSED -> "; the database refused a row, nothing of this call is stored";
            case NOT_WRITABLE ->
                "; nothing of this call is stored: free space on the database's disk, or make it writable";
            case UNAVAILABLE -> "; nothing of this call is stored: is the database running and reachable?";
            case OUTCOME_UNKNOWN -> "; the transaction may have been committed or not";
            case CORRUPT -> "; the shard stops: keep a copy of the database and report this";
            case UNSUPPORTED -> "; nothing was touched";
        };
    }
}
