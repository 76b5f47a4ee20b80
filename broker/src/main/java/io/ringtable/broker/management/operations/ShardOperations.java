package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.ShardStatus;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Lists the shards of this node, whether it serves them or not. Thread: any. */
public final class ShardOperations {
    private static final double FILLED_STEPS = 1_000; // three digits behind the point, without an exponent

    private final Supplier<BrokerStatus> broker;
    private final IntFunction<String> store;

    /** @param store tells the name of the store in which a shard lies */
    public ShardOperations(Supplier<BrokerStatus> broker, IntFunction<String> store) {
        this.broker = broker;
        this.store = store;
    }

    /**
     * Shows a shard. The figures, from its epoch on, are null while the shard does not run here.
     *
     * @param number from 0
     * @param reason why it is in that state, for people
     * @param store name of the store in which it lies: main is ringtable.store
     * @param epoch as text: some have more digits than JavaScript's numbers
     * @param addresses that live in it; one with parts counts in each of its shards
     * @param messages owed on its addresses, or reserved by credit that publishers hold
     * @param filled share of the ring's slots between gate and next, 0 to 1
     */
    public record ShardView(
            int number,
            BrokerState.Phase state,
            String reason,
            String engine,
            String store,
            String epoch,
            Integer addresses,
            Long messages,
            Double filled,
            Long gate,
            Long next,
            Integer capacity,
            Long backlogMessages) {}

    public List<Operation> operations() {
        return List.of(Operation.get("/shards", "Lists the shards of this node, and where their rings stand.")
                .needs(Role.VIEWER)
                .lists(ShardView.class)
                .does(this::list));
    }

    private Listing<ShardView> list(Call call) {
        BrokerStatus now = broker.get();
        return call.page()
                .ofNumbered(
                        now.shards().stream(),
                        ShardStatus::number,
                        shard -> view(now.engine(), store.apply(shard.number()), shard));
    }

    private static ShardView view(String engine, String store, ShardStatus shard) {
        BrokerStatus.Shard figures = shard.figures();
        if (figures == null) {
            return new ShardView(
                    shard.number(),
                    shard.phase(),
                    shard.text(),
                    engine,
                    store,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null);
        }
        return new ShardView(
                shard.number(),
                shard.phase(),
                shard.text(),
                engine,
                store,
                String.valueOf(figures.epoch()),
                figures.addresses().size(),
                figures.addresses().stream()
                        .mapToLong(BrokerStatus.Address::messages)
                        .sum(),
                Math.round(FILLED_STEPS * (figures.next() - figures.gate()) / figures.capacity()) / FILLED_STEPS,
                figures.gate(),
                figures.next(),
                figures.capacity(),
                figures.backlogMessages());
    }
}
