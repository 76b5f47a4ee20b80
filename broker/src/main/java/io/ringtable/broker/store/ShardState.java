package io.ringtable.broker.store;

import java.util.List;

/**
 * What the tables say of a shard at one instant, without ring rows and without the backlog's rows.
 *
 * @param next the larger of gate and highest sequence in the ring + 1
 * @param nextId lowest id never given to an address, a subscription or a producer
 * @param settlements the ring's ledger
 * @param redeliveries every stored failed delivery
 * @param backlog one summary per address that has a backlog
 * @param duplicateIds every one that is kept, in whatever order
 * @param clientOwners whose client ids are
 * @param replays one per subscription that began in the past
 */
public record ShardState(
        long epoch,
        int capacity,
        long gate,
        long next,
        long dispatchBound,
        long nextId,
        List<AddressRow> addresses,
        List<SubscriptionRow> subscriptions,
        List<Flush.Settlement> settlements,
        List<Flush.Redelivery> redeliveries,
        List<BacklogSummary> backlog,
        List<ProducerRow> producers,
        List<Flush.DuplicateId> duplicateIds,
        List<CatalogChange.OwnClient> clientOwners,
        List<ReplayRow> replays) {

    /** @param messages rows of a stretch of the backlog that the subscription still owes */
    public record OwedCount(long subscriptionId, long messages) {}

    /**
     * What reclaim and discard keep about the backlog of one address.
     *
     * @param messages rows present
     * @param bytes their encoded length
     * @param firstExpiresAt earliest expiry; 0 = none expires
     * @param firstDeliverAt earliest delivery time; 0 = none waits
     */
    public record BacklogSummary(
            long addressId,
            long firstSequence,
            long lastSequence,
            long messages,
            long bytes,
            long firstExpiresAt,
            long firstDeliverAt) {}
}
