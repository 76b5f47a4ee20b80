package io.ringtable.broker.management.operations;

import io.ringtable.broker.access.Role;
import io.ringtable.broker.management.Call;
import io.ringtable.broker.management.Listing;
import io.ringtable.broker.management.Operation;
import io.ringtable.broker.management.QueryParameter.Type;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.status.NodesStatus.Node;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Lists the nodes of the database, stand-bys too; every node has the same list. Thread: any. */
public final class NodeOperations {
    private final Supplier<BrokerStatus> broker;
    private final Function<String, Integer> known;

    /** @param known gives how many shards the node of an id knows; null if nobody has heard that */
    public NodeOperations(Supplier<BrokerStatus> broker, Function<String, Integer> known) {
        this.broker = broker;
        this.known = known;
    }

    /**
     * Shows a node.
     *
     * @param id that the node keeps across restarts
     * @param description host and process
     * @param state what the node said of itself, such as {@code STANDBY}. {@code LOST} if it was not seen for longer
     *     than its lease. {@code UNKNOWN} while the database does not answer. {@code UNSEEN} if the node owns a shard
     *     and writes no row
     * @param self whether it is the node that answers
     * @param version null if the node writes no row
     * @param url where clients reach it; null while it has no port
     * @param seenMsAgo null if the node writes no row
     * @param shards that it owns; none while it stands by
     * @param epochs of these shards, in the same order; as texts: some have more digits than JavaScript's numbers
     * @param knows how many shards it knows, by its {@code ringtable.shards}; null without a cluster, and before the
     *     node has told
     */
    public record NodeView(
            String id,
            String description,
            String state,
            boolean self,
            String version,
            String url,
            Long seenMsAgo,
            List<Integer> shards,
            List<String> epochs,
            Integer knows) {}

    public List<Operation> operations() {
        return List.of(Operation.get(
                        "/nodes", "Lists the nodes of the database, stand-bys too, and which shards each of them owns.")
                .needs(Role.VIEWER)
                .query(Call.FILTER, Type.TEXT, "Text in the description or the id, whatever the case.")
                .lists(NodeView.class)
                .does(this::list));
    }

    private Listing<NodeView> list(Call call) {
        Predicate<String> filter = call.filter();
        return call.page()
                .of(
                        broker.get().nodes().nodes().stream()
                                .sorted(Comparator.comparing(NodeOperations::key))
                                .filter(node -> filter.test(node.description()) || filter.test(node.id())),
                        NodeOperations::key,
                        this::view);
    }

    private static String key(Node node) {
        return node.description() + " " + node.id();
    }

    private NodeView view(Node node) {
        return new NodeView(
                node.id(),
                node.description(),
                node.state(),
                node.self(),
                node.version(),
                node.url(),
                node.seenMsAgo(),
                node.shards().stream().map(NodesStatus.OwnedShard::shard).toList(),
                node.shards().stream()
                        .map(owned -> String.valueOf(owned.epoch()))
                        .toList(),
                known.apply(node.id()));
    }
}
