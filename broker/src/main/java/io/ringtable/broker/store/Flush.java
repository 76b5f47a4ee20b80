package io.ringtable.broker.store;

import java.util.List;

/**
 * Holds what one flush makes durable, all of it or nothing.
 *
 * @param epoch must be the shard's, else {@link StoreFailure.Kind#FENCED}
 * @param gate must be the shard's, else {@link StoreFailure.Kind#CORRUPT}
 * @param claims in order of sequence, without holes; each supersedes {@code sequence - capacity}
 * @param settlements ledger rows of the ring, whole, at most one per (block, bit)
 * @param backlogSettlements ledger rows of the backlog, whole, at most one per (address, block, bit)
 * @param redeliveries new counts of failed deliveries; a count of 0 removes the row
 * @param dispatchBounds of subscriptions that are behind or unattended; a subscription that has gone is passed over
 * @param dispatchBound new bound of the shard; {@link #UNCHANGED} leaves it
 * @param inboxIds rows of the inbox that were taken over, and are deleted. If a row is missing and there are claims,
 *     the flush is {@link StoreFailure.Kind#CORRUPT}
 * @param producers numbers that producers reach with these claims, at most one row each; a missing producer, or a lower
 *     number, is {@link StoreFailure.Kind#CORRUPT}
 * @param duplicateIds ids of these claims, at most one per (address, position); an id that would overwrite a younger
 *     one is {@link StoreFailure.Kind#CORRUPT}
 * @param replays positions that replays reach with these claims, at most one each; a replay that is missing, finished
 *     or already further on is {@link StoreFailure.Kind#CORRUPT}
 */
public record Flush(
        long epoch,
        long gate,
        List<StoredMessage> claims,
        List<Settlement> settlements,
        List<BacklogSettlement> backlogSettlements,
        List<Redelivery> redeliveries,
        List<DispatchBound> dispatchBounds,
        long dispatchBound,
        List<Long> inboxIds,
        List<Produced> producers,
        List<DuplicateId> duplicateIds,
        List<Replayed> replays) {

    public static final long UNCHANGED = -1;

    /** Makes a flush without anything that is stored once. */
    public Flush(
            long epoch,
            long gate,
            List<StoredMessage> claims,
            List<Settlement> settlements,
            List<BacklogSettlement> backlogSettlements,
            List<Redelivery> redeliveries,
            List<DispatchBound> dispatchBounds,
            long dispatchBound,
            List<Long> inboxIds) {
        this(
                epoch,
                gate,
                claims,
                settlements,
                backlogSettlements,
                redeliveries,
                dispatchBounds,
                dispatchBound,
                inboxIds,
                List.of(),
                List.of(),
                List.of());
    }

    /** Makes a flush without anything from the inbox. */
    public Flush(
            long epoch,
            long gate,
            List<StoredMessage> claims,
            List<Settlement> settlements,
            List<BacklogSettlement> backlogSettlements,
            List<Redelivery> redeliveries,
            List<DispatchBound> dispatchBounds,
            long dispatchBound) {
        this(
                epoch,
                gate,
                claims,
                settlements,
                backlogSettlements,
                redeliveries,
                dispatchBounds,
                dispatchBound,
                List.of());
    }

    /**
     * @param settled {@code RingGeometry.BLOCK_BYTES} bytes; bit i (byte i/8, least significant bit first) is sequence
     *     block*BLOCK+i
     */
    public record Settlement(long block, int bit, byte[] settled) {}

    /** Is a {@link Settlement} for messages of one address below the gate. */
    public record BacklogSettlement(long addressId, long block, int bit, byte[] settled) {}

    /** @param notBefore earliest next delivery in ms since the epoch; 0 = immediately */
    public record Redelivery(long sequence, long subscriptionId, int count, long notBefore) {}

    /**
     * @param sequence highest sequence that may have been delivered; {@link #FOLLOWS} = the dispatch bound of the shard
     *     applies
     */
    public record DispatchBound(long subscriptionId, long sequence) {
        public static final long FOLLOWS = -1;
    }

    /**
     * @param lastNumber number of the producer's last message that is stored
     * @param usedAt time of that message, in ms since the epoch
     */
    public record Produced(long producerId, long lastNumber, long usedAt) {}

    /**
     * @param position 0, 1, 2 ...: the place among the ids of its address, whose earlier id it overwrites
     * @param ordinal rises by one with every id of the address
     * @param id 1 to 400 bytes
     */
    public record DuplicateId(long addressId, int position, long ordinal, byte[] id) {}

    /** @param position first sequence that has not been copied for the subscription */
    public record Replayed(long subscriptionId, long position) {}

    /** Says whether the flush stores or copies messages once: most do not, and take a shorter call. */
    public boolean isOnce() {
        return !producers.isEmpty() || !duplicateIds.isEmpty() || !replays.isEmpty();
    }

    public boolean isEmpty() {
        return claims.isEmpty()
                && settlements.isEmpty()
                && backlogSettlements.isEmpty()
                && redeliveries.isEmpty()
                && dispatchBounds.isEmpty()
                && dispatchBound == UNCHANGED
                && inboxIds.isEmpty()
                && !isOnce();
    }
}
