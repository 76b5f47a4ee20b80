package io.ringtable.broker.store;

import io.ringtable.broker.setting.Setting;
import java.util.List;

/**
 * Holds the tables of a shard at one instant, without the rows of ring and backlog.
 *
 * @param next the larger of gate and highest sequence in the ring + 1
 * @param nextId lowest id never given to an address, a subscription or a producer
 * @param settlements the ring's ledger
 * @param redeliveries every stored failed delivery
 * @param backlog one summary per address that has a backlog
 * @param duplicateIds every kept id, in any order
 * @param clientOwners the users that client ids belong to
 * @param replays one per subscription that began in the past
 * @param settings everything that administrators set at run time
 * @param logins every login by which messages were published
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
        List<ReplayRow> replays,
        List<Setting> settings,
        List<LoginRow> logins) {

    /** @param messages rows of a stretch of the backlog that the subscription still owes */
    public record OwedCount(long subscriptionId, long messages) {}

    /**
     * Sums up the backlog of one address; reclaim and discard maintain it.
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
