package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import java.util.List;
import java.util.function.Supplier;

/** Shows the broker at a glance; the addresses have operations of their own. Thread: any. */
public final class StatusOperations {
    private final Supplier<BrokerStatus> broker;
    private final Supplier<String> inboxTrouble;
    private final Supplier<Traffic> traffic;

    /** @param inboxTrouble gives why the broker collects nothing from the inbox; null while it collects */
    public StatusOperations(Supplier<BrokerStatus> broker, Supplier<String> inboxTrouble, Supplier<Traffic> traffic) {
        this.broker = broker;
        this.inboxTrouble = inboxTrouble;
        this.traffic = traffic;
    }

    /**
     * Counts what passed the AMQP border since the process started, for rates between two looks.
     *
     * @param connections open now
     */
    public record Traffic(long connections, long messagesIn, long messagesOut, long bytesIn, long bytesOut) {}

    /**
     * Shows the broker.
     *
     * @param state such as {@code ACTIVE}
     * @param reason why it is in that state, for people
     * @param shortage why all publishers are held back; null while they are not
     * @param inbox why the broker collects nothing from the inbox; null while it collects
     * @param ring null while this node does not own the shard; of several shards the sums, see {@link ShardOperations}
     * @param parked subscriptions that wait for an operator
     * @param stuckAddresses addresses whose messages should leave them and cannot
     */
    public record StatusView(
            String state,
            String reason,
            String engine,
            String durability,
            String node,
            String shortage,
            String inbox,
            Traffic traffic,
            RingView ring,
            List<BrokerStatus.Parked> parked,
            List<BrokerStatus.StuckAddress> stuckAddresses) {}

    /**
     * Shows where the ring stands.
     *
     * @param epoch as text: some have more digits than JavaScript's numbers; of several shards the highest
     * @param room free slots
     * @param delivered deliveries since this node took the shard, as the next four
     */
    public record RingView(
            String epoch,
            long gate,
            long next,
            int capacity,
            long room,
            long backlogMessages,
            long delivered,
            long redelivered,
            long deadLetters,
            long expired,
            long readBack,
            long consumers,
            int addresses) {}

    public List<Operation> operations() {
        return List.of(Operation.get("/status", "Shows state, ring and traffic of the broker.")
                .needs(Role.VIEWER)
                .answers(StatusView.class)
                .does(call -> view()));
    }

    private StatusView view() {
        BrokerStatus now = broker.get();
        BrokerState state = now.state();
        BrokerStatus.Shard shard = now.shard();
        return new StatusView(
                state.phase().name(),
                state.text(),
                now.engine(),
                now.durability(),
                now.node(),
                now.shortage(),
                inboxTrouble.get(),
                traffic.get(),
                shard == null ? null : ring(shard),
                shard == null ? List.of() : shard.parked(),
                shard == null ? List.of() : shard.stuckAddresses());
    }

    private static RingView ring(BrokerStatus.Shard shard) {
        return new RingView(
                String.valueOf(shard.epoch()),
                shard.gate(),
                shard.next(),
                shard.capacity(),
                shard.room(),
                shard.backlogMessages(),
                shard.delivered(),
                shard.redelivered(),
                shard.deadLetters(),
                shard.expired(),
                shard.readBack(),
                shard.consumers(),
                shard.addresses().size());
    }
}
