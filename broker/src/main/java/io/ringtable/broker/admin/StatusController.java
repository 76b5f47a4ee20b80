package io.ringtable.broker.admin;

import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.status.ShardStatus;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Answers {@code GET /status}, which {@code bin/ringtable status} shows. Read-only; scripts rely on the names of its
 * fields.
 */
@RestController
public final class StatusController {
    private static final int ADDRESSES_MAX = 1_000;
    private static final int HOLDERS_MAX = 8;

    private final Supplier<BrokerStatus> broker;
    private final Supplier<String> inboxTrouble;
    private final StatusSampler sampler;
    private final LongSupplier connections;
    private final String version;

    /**
     * Makes the controller.
     *
     * @param inboxTrouble gives why the broker collects nothing from the inbox; null while it collects
     * @param connections gives how many connections of AMQP are open
     */
    public StatusController(
            Supplier<BrokerStatus> broker,
            Supplier<String> inboxTrouble,
            StatusSampler sampler,
            LongSupplier connections,
            String version) {
        this.broker = broker;
        this.inboxTrouble = inboxTrouble;
        this.sampler = sampler;
        this.connections = connections;
        this.version = version;
    }

    /**
     * Holds the answer.
     *
     * @param failures of this process, with the next try if one is due
     * @param inbox why the broker collects nothing from the inbox; null while it collects
     * @param shortage why the broker holds all publishers back: the heap or the disk; null while it does not
     * @param messagesPerSecond through AMQP, of all shards together
     * @param nodes of the database, stand-bys too; every node shows the same
     * @param nodesTrouble what keeps this node from seeing the others, or from being seen; null if nothing does
     * @param shards those that this node owns, by number; none while it stands by
     * @param parked subscriptions that wait for an operator, each with its damaged message
     * @param stuckAddresses addresses whose policy moves fail: dead letters or expired messages rest there
     * @param addressCount all addresses; {@code addresses} lists those that hold most
     */
    public record Status(
            String version,
            String state,
            String reason,
            BrokerState.Failures failures,
            String inbox,
            String engine,
            String durability,
            String node,
            String shortage,
            long connections,
            StatusSampler.Rates messagesPerSecond,
            List<NodesStatus.Node> nodes,
            String nodesTrouble,
            List<Ring> shards,
            List<BrokerStatus.Parked> parked,
            List<BrokerStatus.StuckAddress> stuckAddresses,
            int addressCount,
            List<BrokerStatus.Address> addresses) {}

    /**
     * Tells where the ring of a shard stands.
     *
     * @param state of the shard, such as {@code ACTIVE}
     * @param messagesPerSecond stored in the shard, whoever sent them, and delivered from it
     * @param heldBy what keeps messages between gate and next, most first
     */
    public record Ring(
            int shard,
            long epoch,
            long gate,
            long next,
            int capacity,
            long room,
            long backlogMessages,
            String state,
            StatusSampler.Rates messagesPerSecond,
            List<Holder> heldBy) {

        /** Returns the share of the slots between gate and next, 0 to 1. */
        public double filled() {
            return (next - gate) / (double) capacity;
        }
    }

    /**
     * Shows a subscription that owes something.
     *
     * @param name empty for a queue's only subscription
     */
    public record Holder(String address, String clientId, String name, long owedInRing, long owedInBacklog) {}

    @GetMapping("/status")
    public Status status() {
        BrokerStatus now = broker.get();
        BrokerStatus.Shard shard = now.shard();
        return new Status(
                version,
                now.state().phase().name(),
                now.state().text(),
                now.state().failures(),
                inboxTrouble.get(),
                now.engine(),
                now.durability(),
                now.node(),
                now.shortage(),
                connections.getAsLong(),
                sampler.rates(),
                now.nodes().nodes(),
                now.nodes().trouble(),
                now.shards().stream()
                        .filter(each -> each.figures() != null)
                        .map(this::ring)
                        .toList(),
                shard == null ? List.of() : shard.parked(),
                shard == null ? List.of() : shard.stuckAddresses(),
                shard == null ? 0 : shard.addresses().size(),
                shard == null ? List.of() : fullest(shard.addresses()));
    }

    private Ring ring(ShardStatus shard) {
        BrokerStatus.Shard figures = shard.figures();
        return new Ring(
                shard.number(),
                figures.epoch(),
                figures.gate(),
                figures.next(),
                figures.capacity(),
                figures.room(),
                figures.backlogMessages(),
                shard.phase().name(),
                sampler.rates(shard.number()),
                holders(figures.addresses()));
    }

    private static List<Holder> holders(List<BrokerStatus.Address> addresses) {
        return addresses.stream()
                .flatMap(address -> address.subscriptions().stream()
                        .filter(each -> each.owedInRing() + each.owedInBacklog() > 0)
                        .map(each -> new Holder(
                                address.name(), each.clientId(), each.name(), each.owedInRing(), each.owedInBacklog())))
                .sorted(Comparator.comparingLong((Holder each) -> -each.owedInRing())
                        .thenComparingLong(each -> -each.owedInBacklog()))
                .limit(HOLDERS_MAX)
                .toList();
    }

    private static List<BrokerStatus.Address> fullest(List<BrokerStatus.Address> addresses) {
        return addresses.stream()
                .sorted(Comparator.comparingLong((BrokerStatus.Address address) -> -address.messages())
                        .thenComparing(BrokerStatus.Address::name))
                .limit(ADDRESSES_MAX)
                .toList();
    }
}
