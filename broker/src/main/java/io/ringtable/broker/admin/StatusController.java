package io.ringtable.broker.admin;

import io.ringtable.broker.amqp.link.AmqpCounters;
import io.ringtable.broker.metrics.StatusSampler;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /status}: what {@code bin/ringtable status} shows. Read-only; scripts rely on the names of its fields. */
@RestController
public final class StatusController {
    private static final int ADDRESSES_MAX = 1_000;

    private final Supplier<BrokerStatus> broker;
    private final Supplier<String> inboxTrouble;
    private final StatusSampler sampler;
    private final AmqpCounters counters;
    private final String version;

    /** @param inboxTrouble why nothing is collected from the inbox; gives null while it is */
    public StatusController(
            Supplier<BrokerStatus> broker,
            Supplier<String> inboxTrouble,
            StatusSampler sampler,
            AmqpCounters counters,
            String version) {
        this.broker = broker;
        this.inboxTrouble = inboxTrouble;
        this.sampler = sampler;
        this.counters = counters;
        this.version = version;
    }

    /**
     * The answer.
     *
     * @param failures of this process, with the next try if it waits for one
     * @param inbox why nothing is collected from the inbox; null while it is
     * @param shortage why all publishers are held back: the heap or the disk; null while they are not
     * @param shards those that this node owns; none while it stands by
     * @param parked subscriptions that wait for an operator, each with its damaged message
     * @param setBacks addresses whose messages should leave them, as dead letters or expired ones, and cannot
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
            List<BrokerStatus.SetBack> setBacks,
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
                now.state().failures(),
                inboxTrouble.get(),
                now.engine(),
                now.durability(),
                now.node(),
                now.shortage(),
                counters.connections.sum(),
                sampler.rates(),
                shard == null ? List.of() : List.of(ring(shard)),
                shard == null ? List.of() : shard.parked(),
                shard == null ? List.of() : shard.setBacks(),
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
