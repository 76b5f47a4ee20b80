package io.ringtable.broker.status;

import io.ringtable.broker.message.AddressKind;
import java.util.List;

/**
 * A broker at a glance, for people, scripts and metrics. Immutable; its numbers are read one after the other while the
 * broker runs, so they need not belong to one instant.
 *
 * @param durability what an accepted message can rely on
 * @param delayedDurability whether commits may return before their log is on disk
 * @param shortage why all publishers are held back; null while they are not
 * @param shard null while this node does not own the shard
 */
public record BrokerStatus(
        BrokerState state,
        String engine,
        String durability,
        boolean delayedDurability,
        String node,
        String shortage,
        Shard shard) {

    /**
     * @param room slots free: gate + capacity - next
     * @param backlogMessages rows in the backlog, those that are over but not yet deleted included
     * @param delivered deliveries to consumers since the shard was taken
     * @param redelivered of those, flagged as perhaps seen before
     * @param deadLetters messages moved to the dead-letter queue since the shard was taken
     * @param expired messages discarded at delivery, their time to live being over, since the shard was taken
     * @param readBack messages read back from the store since the shard was taken
     * @param consumers attached now
     * @param memoryBytes bytes of messages that wait in memory
     * @param unsettledBytes bytes of messages that consumers hold unsettled
     * @param temporaryAddresses in memory only; not among {@code addresses}
     * @param producers publishers of numbered messages that are known, attached or not
     * @param parked what waits for an operator
     * @param setBacks addresses whose messages should leave them and cannot
     */
    public record Shard(
            long epoch,
            int capacity,
            long gate,
            long next,
            long room,
            long backlogMessages,
            long delivered,
            long redelivered,
            long deadLetters,
            long expired,
            long readBack,
            long consumers,
            long memoryBytes,
            long unsettledBytes,
            int temporaryAddresses,
            int producers,
            List<Parked> parked,
            List<SetBack> setBacks,
            List<Address> addresses) {}

    /**
     * A subscription that waits for an operator: it is not served beyond a damaged message, or not at all as its selector is beyond the
     * bounds.
     *
     * @param name empty for a queue's only subscription
     * @param sequence of the damaged message; -1 if the selector is to blame
     */
    public record Parked(String address, String clientId, String name, long sequence, String reason) {}

    /**
     * An address whose messages should leave it, as dead letters or because they have expired, and cannot: they rest there.
     *
     * @param messages how often one of them was set back since they rest
     */
    public record SetBack(String address, long messages, String reason) {}

    /**
     * @param messages owed, or reserved by credit that publishers hold
     * @param bytes owed
     * @param retained null if it keeps nothing
     */
    public record Address(
            String name,
            AddressKind kind,
            long messages,
            long bytes,
            long quotaMessages,
            long quotaBytes,
            Retained retained,
            List<Subscription> subscriptions) {}

    /**
     * What a topic with retention keeps.
     *
     * @param bytes after a start as far as they have been counted, which is done where the policy bounds them
     * @param oldest when the oldest was published (ISO 8601); null if nothing is kept, or for a moment
     */
    public record Retained(long messages, long bytes, String oldest) {}

    /** @param name empty for a queue's only one */
    public record Subscription(String clientId, String name, long owedInRing, long owedInBacklog) {}
}
