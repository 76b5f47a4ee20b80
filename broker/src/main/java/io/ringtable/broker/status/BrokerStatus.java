package io.ringtable.broker.status;

import io.ringtable.broker.message.AddressKind;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Shows a broker at a glance, for people, scripts and metrics. Immutable. The numbers are read one after the other
 * while the broker runs, so they may belong to different instants.
 *
 * @param durability what an accepted message can rely on
 * @param delayedDurability whether commits may return before their log is on disk
 * @param shortage why all publishers are held back; null while they are not
 * @param nodes of the database, stand-bys too
 * @param shards those of this node, by number, whether they run or not
 */
public record BrokerStatus(
        BrokerState state,
        String engine,
        String durability,
        boolean delayedDurability,
        String node,
        String shortage,
        NodesStatus nodes,
        List<ShardStatus> shards) {
    public BrokerStatus {
        shards = List.copyOf(shards);
    }

    /** Returns the figures of the shards that run here, all together; null if there is none. */
    public Shard shard() {
        List<Shard> running = shards.stream()
                .map(ShardStatus::figures)
                .filter(Objects::nonNull)
                .toList();
        return switch (running.size()) {
            case 0 -> null;
            case 1 -> running.get(0);
            default -> Shard.sum(running);
        };
    }

    /**
     * Counts what a shard has done since this node took it, for rates between two looks.
     *
     * @param stored slots of its ring that messages have taken, ever
     * @param delivered deliveries to consumers
     */
    public record Traffic(int shard, long stored, long delivered) {}

    /**
     * Shows a shard that this node owns, or several together. Counts of deliveries and moves begin when the node took
     * the shard.
     *
     * @param lateRenewals renewals of the lease that came when less than half of it was left
     * @param room free slots: gate + capacity - next
     * @param backlogMessages rows in the backlog, with those that are over but not yet deleted
     * @param delivered deliveries to consumers
     * @param redelivered of those, flagged as perhaps seen before
     * @param deadLetters messages moved to the dead-letter queue
     * @param expired messages discarded at delivery because their time to live was over
     * @param readBack messages read back from the store
     * @param consumers attached now
     * @param memoryBytes bytes of messages that wait in memory
     * @param unsettledBytes bytes of messages that consumers hold unsettled
     * @param temporaryAddresses in memory only; not among {@code addresses}
     * @param producers known publishers of numbered messages, attached or not
     * @param parked what waits for an operator
     * @param stuckAddresses addresses whose policy moves fail
     */
    public record Shard(
            long epoch,
            long lateRenewals,
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
            List<StuckAddress> stuckAddresses,
            List<Address> addresses) {

        /**
         * Shows several shards as one: the highest epoch, and the sums of everything else. Sums of gate, next and
         * capacity bound each other as those of one ring do. An address with parts is listed once.
         */
        static Shard sum(List<Shard> shards) {
            return new Shard(
                    shards.stream().mapToLong(Shard::epoch).max().orElse(0),
                    sum(shards, Shard::lateRenewals),
                    Math.toIntExact(sum(shards, Shard::capacity)),
                    sum(shards, Shard::gate),
                    sum(shards, Shard::next),
                    sum(shards, Shard::room),
                    sum(shards, Shard::backlogMessages),
                    sum(shards, Shard::delivered),
                    sum(shards, Shard::redelivered),
                    sum(shards, Shard::deadLetters),
                    sum(shards, Shard::expired),
                    sum(shards, Shard::readBack),
                    sum(shards, Shard::consumers),
                    sum(shards, Shard::memoryBytes),
                    sum(shards, Shard::unsettledBytes),
                    Math.toIntExact(sum(shards, Shard::temporaryAddresses)),
                    Math.toIntExact(sum(shards, Shard::producers)),
                    all(shards, Shard::parked),
                    all(shards, Shard::stuckAddresses),
                    joined(all(shards, Shard::addresses)));
        }

        /** Shows the parts of a queue as one address. */
        private static List<Address> joined(List<Address> parts) {
            Map<String, Address> byName = new TreeMap<>();
            parts.forEach(part -> byName.merge(part.name(), part, Address::with));
            return List.copyOf(byName.values());
        }

        private static long sum(List<Shard> shards, ToLongFunction<Shard> figure) {
            return shards.stream().mapToLong(figure).sum();
        }

        private static <T> List<T> all(List<Shard> shards, Function<Shard, List<T>> part) {
            return shards.stream().flatMap(shard -> part.apply(shard).stream()).toList();
        }
    }

    /**
     * Shows a subscription that waits for an operator. The broker serves it up to a damaged message, or not at all if
     * its selector is beyond the bounds.
     *
     * @param name empty for a queue's only subscription
     * @param sequence of the damaged message; -1 if the selector is to blame
     */
    public record Parked(String address, String clientId, String name, long sequence, String reason) {}

    /**
     * Shows an address where dead letters or expired messages rest, because they cannot move to the queue of its
     * policy.
     *
     * @param messages how often the broker set one of them back since they rest there
     */
    public record StuckAddress(String address, long messages, String reason) {}

    /**
     * Shows an address and its quota.
     *
     * @param messages owed, or reserved by credit that publishers hold
     * @param bytes owed
     * @param retained null if the address keeps nothing
     */
    public record Address(
            String name,
            AddressKind kind,
            long messages,
            long bytes,
            long quotaMessages,
            long quotaBytes,
            Retained retained,
            List<Subscription> subscriptions) {

        /** Returns the sums of this part of a queue and another one, each of which has one subscription. */
        private Address with(Address part) {
            return new Address(
                    name,
                    kind,
                    messages + part.messages,
                    bytes + part.bytes,
                    quotaMessages + part.quotaMessages,
                    quotaBytes + part.quotaBytes,
                    retained,
                    List.of(new Subscription("", "", owed(part, true), owed(part, false))));
        }

        private long owed(Address part, boolean inRing) {
            return Stream.of(subscriptions, part.subscriptions)
                    .flatMap(List::stream)
                    .mapToLong(inRing ? Subscription::owedInRing : Subscription::owedInBacklog)
                    .sum();
        }
    }

    /**
     * Shows what a topic with retention keeps.
     *
     * @param bytes counted so far since the start; the broker counts where the policy bounds bytes
     * @param oldest time at which the oldest was published (ISO 8601); null if nothing is kept, or for a moment
     */
    public record Retained(long messages, long bytes, String oldest) {}

    /**
     * Shows what a subscription owes.
     *
     * @param name empty for a queue's only subscription
     */
    public record Subscription(String clientId, String name, long owedInRing, long owedInBacklog) {}
}
