package io.ringtable.broker.admin;

import io.ringtable.broker.BrokerStatus;
import io.ringtable.broker.amqp.AmqpCounters;
import io.ringtable.broker.metrics.StatusSampler;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /status}: what {@code bin/ringtable status} shows. Read-only; scripts rely on the names of its fields. */
@RestController
public final class StatusController {
    private static final int ADDRESSES_MAX = 1_000;

    /** Every store flushes with its engine's full durability; there is no weaker setting. */
    private static final String DURABILITY = "full: synced before accepted";

    private final Supplier<BrokerStatus> broker;
    private final StatusSampler sampler;
    private final AmqpCounters counters;
    private final String version;

    public StatusController(
            Supplier<BrokerStatus> broker, StatusSampler sampler, AmqpCounters counters, String version) {
        this.broker = broker;
        this.sampler = sampler;
        this.counters = counters;
        this.version = version;
    }

    /**
     * The answer.
     *
     * @param shards those that this node owns; none while it stands by
     * @param parked subscriptions that wait for an operator, each with its damaged message
     * @param addressCount all addresses; {@code addresses} lists those that hold most
     */
    public record Status(
            String version,
            String state,
            String reason,
            String engine,
            String durability,
            String node,
            long connections,
            StatusSampler.Rates messagesPerSecond,
            List<Ring> shards,
            List<BrokerStatus.Parked> parked,
            int addressCount,
            List<BrokerStatus.Address> addresses) {}

    /** Where the ring of a shard stands. */
    public record Ring(int shard, long epoch, long gate, long next, int capacity, long room, long backlogMessages) {}

    @GetMapping("/status")
    public Status status() {
        BrokerStatus now = broker.get();
        BrokerStatus.Shard shard = now.shard();
        return new Status(
                version,
                now.state().phase().name(),
                now.state().text(),
                now.engine(),
                DURABILITY,
                now.node(),
                counters.connections.sum(),
                sampler.rates(),
                shard == null ? List.of() : List.of(ring(shard)),
                shard == null ? List.of() : shard.parked(),
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
