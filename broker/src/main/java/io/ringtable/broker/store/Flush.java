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
 * @param dispatchedTo bounds of subscriptions that are behind or unattended; one that has gone meanwhile is passed over
 * @param dispatchBound the shard's new bound; {@link #UNCHANGED} leaves it
 * @param inboxIds rows of the inbox that were taken over; deleted. If one is missing where something is claimed the flush is
 *     {@link StoreFailure.Kind#CORRUPT}
 */
public record Flush(
        long epoch,
        long gate,
        List<StoredMessage> claims,
        List<Settlement> settlements,
        List<BacklogSettlement> backlogSettlements,
        List<Redelivery> redeliveries,
        List<DispatchedTo> dispatchedTo,
        long dispatchBound,
        List<Long> inboxIds) {

    public static final long UNCHANGED = -1;

    /** Without anything from the inbox. */
    public Flush(
            long epoch,
            long gate,
            List<StoredMessage> claims,
            List<Settlement> settlements,
            List<BacklogSettlement> backlogSettlements,
            List<Redelivery> redeliveries,
            List<DispatchedTo> dispatchedTo,
            long dispatchBound) {
        this(
                epoch,
                gate,
                claims,
                settlements,
                backlogSettlements,
                redeliveries,
                dispatchedTo,
                dispatchBound,
                List.of());
    }

    /** @param settled {@code RingGeometry.BLOCK_BYTES} bytes; bit i (byte i/8, least significant bit first) is sequence block*BLOCK+i */
    public record Settlement(long block, int bit, byte[] settled) {}

    /** As {@link Settlement}, for messages of one address below the gate. */
    public record BacklogSettlement(long addressId, long block, int bit, byte[] settled) {}

    /** @param notBefore ms since the epoch before which it is not delivered again; 0 = at once */
    public record Redelivery(long sequence, long subscriptionId, int count, long notBefore) {}

    /** @param sequence highest sequence that may have been delivered; {@link #FOLLOWS} = the shard's bound applies */
    public record DispatchedTo(long subscriptionId, long sequence) {
        public static final long FOLLOWS = -1;
    }

    public boolean isEmpty() {
        return claims.isEmpty()
                && settlements.isEmpty()
                && backlogSettlements.isEmpty()
                && redeliveries.isEmpty()
                && dispatchedTo.isEmpty()
                && dispatchBound == UNCHANGED
                && inboxIds.isEmpty();
    }
}
