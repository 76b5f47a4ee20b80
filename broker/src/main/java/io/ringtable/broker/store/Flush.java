package io.ringtable.broker.store;

import java.util.List;

/**
 * What one flush makes durable, all of it or nothing.
 *
 * @param epoch must be the shard's, else {@link StoreFailure.Kind#FENCED}
 * @param gate must be the shard's, else {@link StoreFailure.Kind#CORRUPT}
 * @param claims in order of their sequence, without holes; each supersedes {@code sequence - capacity}
 * @param settlements ledger rows of the ring, whole, at most one per (block, bit)
 * @param backlogSettlements ledger rows of the backlog, whole, at most one per (address, block, bit)
 * @param redeliveries failed deliveries counted anew; a count of 0 removes the row
 * @param dispatchBounds of subscriptions that are behind or unattended; one that has gone meanwhile is passed over
 * @param dispatchBound of the shard, new; {@link #UNCHANGED} leaves it
 * @param inboxIds rows of the inbox that were taken over; deleted. If one is missing where something is claimed the flush is
 *     {@link StoreFailure.Kind#CORRUPT}
 * @param producers what producers have come to with these claims, at most one for each; one that is not there or would go back is
 *     {@link StoreFailure.Kind#CORRUPT}
 * @param duplicateIds ids of these claims, at most one for each (address, position); one that would overwrite a younger one is
 *     {@link StoreFailure.Kind#CORRUPT}
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
        List<DuplicateId> duplicateIds) {

    public static final long UNCHANGED = -1;

    /** Without anything that is stored once. */
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
                List.of());
    }

    /** Without anything from the inbox. */
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

    /** @param settled {@code RingGeometry.BLOCK_BYTES} bytes; bit i (byte i/8, least significant bit first) is sequence block*BLOCK+i */
    public record Settlement(long block, int bit, byte[] settled) {}

    /** As {@link Settlement}, for messages of one address below the gate. */
    public record BacklogSettlement(long addressId, long block, int bit, byte[] settled) {}

    /** @param notBefore ms since the epoch before which it is not delivered again; 0 = at once */
    public record Redelivery(long sequence, long subscriptionId, int count, long notBefore) {}

    /** @param sequence highest sequence that may have been delivered; {@link #FOLLOWS} = the dispatch bound of the shard applies */
    public record DispatchBound(long subscriptionId, long sequence) {
        public static final long FOLLOWS = -1;
    }

    /**
     * @param lastNumber number of the producer's last message that is stored
     * @param usedAt when that was taken, in ms since the epoch
     */
    public record Produced(long producerId, long lastNumber, long usedAt) {}

    /**
     * @param position 0, 1, 2 ...: the place in the window of its address, whose earlier id it overwrites
     * @param ordinal rises by one with every id of the address
     * @param id 1 to 400 bytes
     */
    public record DuplicateId(long addressId, int position, long ordinal, byte[] id) {}

    /** Whether it has messages that are stored once: most have none, and go by a shorter call. */
    public boolean isOnce() {
        return !producers.isEmpty() || !duplicateIds.isEmpty();
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
