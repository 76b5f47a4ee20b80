package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.NodeListing;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.status.ShardStatus;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Lists the shards, whether this node serves them or not, and moves them to other nodes. Thread: any. */
public final class ShardOperations {
    private static final double FILLED_STEPS = 1_000; // three digits behind the point, without an exponent

    private static final String NOT_BEGUN = "NOT_BEGUN";

    private final Supplier<BrokerStatus> broker;
    private final IntFunction<String> store;
    private final Mover mover;

    /** Has a shard go to another node. */
    @FunctionalInterface
    public interface Mover {
        /**
         * Offers a shard to a node.
         *
         * @param node id or description
         * @return completes when the shard is offered to the node; refused if it cannot go there
         */
        CompletionStage<Void> move(int shard, String node);
    }

    /** @param store tells the name of the store in which a shard lies */
    public ShardOperations(Supplier<BrokerStatus> broker, IntFunction<String> store, Mover mover) {
        this.broker = broker;
        this.store = store;
        this.mover = mover;
    }

    /** Says where a shard is to go. @param node id or description of a node, as the list of nodes has it */
    public record ShardMove(String node) {}

    /** Says that a shard is on its way. */
    public record ShardMoved(int shard, String node) {}

    /**
     * Shows a shard. The figures, from its epoch on, are null while the shard does not run here.
     *
     * @param number from 0
     * @param state what the shard does here; if another node has it, what that node does, as the list of nodes has it.
     *     {@code NOT_BEGUN} as long as a node of the cluster does not know the shard
     * @param reason why it is in that state, for people
     * @param node that owns the shard, for people; null if none is seen that does
     * @param url where clients reach that node; null while it has told none
     * @param store name of the store in which it lies: main is ringtable.store
     * @param epoch as text: some have more digits than JavaScript's numbers
     * @param addresses that live in it; one with parts counts in each of its shards
     * @param messages owed on its addresses, or reserved by credit that publishers hold
     * @param filled share of the ring's slots between gate and next, 0 to 1
     */
    public record ShardView(
            int number,
            String state,
            String reason,
            String node,
            String url,
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
        return List.of(
                Operation.get(
                                "/shards",
                                "Lists the shards: which node has each, and where the rings of this one stand.")
                        .needs(Role.VIEWER)
                        .lists(ShardView.class)
                        .at(call -> all(), NodeListing.byNumber("number", ShardOperations::served))
                        .does(this::list),
                Operation.post(
                                "/shards/{number}/move",
                                "Has a shard go to another node of the cluster; the answer comes once it is offered.")
                        .takes(ShardMove.class)
                        .answers(ManagementAnswer.ACCEPTED, ShardMoved.class)
                        .asks(this::move));
    }

    private CompletionStage<?> move(Call call) {
        long number = call.pathNumber("number");
        ShardMove wanted = call.body(ShardMove.class);
        long shards =
                broker.get().shards().stream().filter(ShardStatus::hasBegun).count();
        if (number >= shards) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.NOT_FOUND,
                    "RT-4606",
                    "there is no shard " + number + ": name one from 0 to " + (shards - 1)));
        }
        if (wanted.node() == null) {
            throw new Refusal.Refused(new Refusal(
                    Refusal.Reason.INVALID, "RT-4607", "no node is named: give its id or description as 'node'"));
        }
        return mover.move((int) number, wanted.node())
                .thenApply(offered -> new ShardMoved((int) number, wanted.node()));
    }

    private Set<Integer> all() {
        return broker.get().shards().stream().map(ShardStatus::number).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns what the node says of a shard that serves it: the figures are there. */
    private static JsonNode served(JsonNode one, JsonNode other) {
        return one.hasNonNull("epoch") ? one : other;
    }

    private Listing<ShardView> list(Call call) {
        BrokerStatus now = broker.get();
        return call.page()
                .ofNumbered(
                        now.shards().stream(),
                        ShardStatus::number,
                        shard -> view(now, store.apply(shard.number()), owner(now, shard), shard));
    }

    /** Returns the node that has the shard. */
    private static ShardStatus.Owner owner(BrokerStatus now, ShardStatus shard) {
        if (shard.isActive()) {
            String url = now.nodes().nodes().stream()
                    .filter(NodesStatus.Node::self)
                    .findFirst()
                    .map(NodesStatus.Node::url)
                    .orElse(null);
            return new ShardStatus.Owner(now.node(), url);
        }
        return shard.isElsewhere() ? shard.owner() : new ShardStatus.Owner(null, null);
    }

    /** Returns what the shard does here, or the node that has it. */
    private static String state(BrokerStatus now, ShardStatus shard) {
        if (!shard.hasBegun()) {
            return NOT_BEGUN;
        }
        return !shard.isElsewhere()
                ? shard.phase().name()
                : now.nodes().nodes().stream()
                        .filter(node -> node.description().equals(shard.owner().node()))
                        .map(NodesStatus.Node::state)
                        .findFirst()
                        .orElse(NodesStatus.WITHOUT_ROW);
    }

    private static ShardView view(BrokerStatus now, String store, ShardStatus.Owner owner, ShardStatus shard) {
        String state = state(now, shard);
        String reason = shard.isElsewhere() ? "served by " + shard.owner() : shard.text();
        BrokerStatus.Shard figures = shard.figures();
        if (figures == null) {
            return new ShardView(
                    shard.number(),
                    state,
                    reason,
                    owner.node(),
                    owner.url(),
                    now.engine(),
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
                state,
                reason,
                owner.node(),
                owner.url(),
                now.engine(),
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
