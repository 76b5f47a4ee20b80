package io.ringtable.broker.admin;

import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
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
     * @param shards those that this node owns; none while it stands by
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
            List<Ring> shards,
            List<BrokerStatus.Parked> parked,
            List<BrokerStatus.StuckAddress> stuckAddresses,
            int addressCount,
            List<BrokerStatus.Address> addresses) {}

    /** Tells where the ring of a shard stands. */
    public record Ring(int shard, long epoch, long gate, long next, int capacity, long room, long backlogMessages) {}

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
                shard == null ? List.of() : List.of(ring(shard)),
                shard == null ? List.of() : shard.parked(),
                shard == null ? List.of() : shard.stuckAddresses(),
                shard == null ? 0 : shard.addresses().size(),
                shard == null ? List.of() : fullest(shard.addresses()));
    }

    private static Ring ring(BrokerStatus.Shard shard) {
        return new Ring(
                0, shard.epoch(), shard.gate(), shard.next(), shard.capacity(), shard.room(), shard.backlogMessages());
    }

    private static List<BrokerStatus.Address> fullest(List<BrokerStatus.Address> addresses) {
        return addresses.stream()
                .sorted(Comparator.comparingLong((BrokerStatus.Address address) -> -address.messages())
                        .thenComparing(BrokerStatus.Address::name))
                .limit(ADDRESSES_MAX)
                .toList();
    }
}
