package io.ringtable.broker.node;

import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.store.node.NodeTable.Node;
import io.ringtable.broker.store.node.NodeTable.SeenNode;
import io.ringtable.broker.store.node.NodeTable.ShardOwner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Says which nodes there are and which of them owns each shard, as the database had it at one moment. A node that dies
 * afterwards is in it until the next one. The value decides where to ask, never what may be written: that is the
 * epoch's.
 * <p>
 * Immutable; thread: any.
 *
 * @param nodes by description; those that own a shard and write no row, as an earlier version does, are not among them
 * @param owners whose leases ran, by number of the shard
 * @param askedAt what the clock of this process said before the database was asked, in nanoseconds
 */
public record SeenNodes(List<SeenNode> nodes, List<ShardOwner> owners, long askedAt) {

    public SeenNodes {
        nodes = nodes.stream()
                .sorted(Comparator.comparing((SeenNode seen) -> seen.node().description())
                        .thenComparing(seen -> seen.node().nodeId()))
                .toList();
        owners = owners.stream()
                .sorted(Comparator.comparingInt(ShardOwner::shard))
                .toList();
    }

    /** Returns who owned the shard; empty if nobody's lease ran. */
    public Optional<ShardOwner> ownerOf(int shard) {
        return owners.stream().filter(owner -> owner.shard() == shard).findFirst();
    }

    /** Returns the ids of all owners, by shard. */
    public Map<Integer, String> ownersByShard() {
        return owners.stream().collect(Collectors.toMap(ShardOwner::shard, ShardOwner::nodeId));
    }

    /** Returns the row of a node, alive or lost. */
    public Optional<Node> node(String nodeId) {
        return nodes.stream()
                .map(SeenNode::node)
                .filter(node -> node.nodeId().equals(nodeId))
                .findFirst();
    }

    /**
     * Shows all nodes as they are known now. Once they are older than the lease of the node that shows them,
     * nobody is known to be alive, and nobody to be lost.
     *
     * @param self id of the node that shows them
     * @param selfLeaseMs its lease
     * @param ageMs since the database was asked
     */
    List<NodesStatus.Node> shown(String self, long selfLeaseMs, long ageMs) {
        List<NodesStatus.Node> shown = new ArrayList<>();
        boolean isOld = ageMs > selfLeaseMs;
        Set<String> withRows = new HashSet<>();
        for (SeenNode seen : nodes) {
            Node node = seen.node();
            withRows.add(node.nodeId());
            String state = isOld
                    ? NodesStatus.UNKNOWN
                    : seen.ageMs() + ageMs > node.leaseMs() ? NodesStatus.LOST : node.state();
            shown.add(new NodesStatus.Node(
                    node.nodeId(),
                    node.description(),
                    state,
                    node.nodeId().equals(self),
                    node.version(),
                    node.url(),
                    seen.ageMs() + ageMs,
                    ownedBy(node.nodeId(), ageMs)));
        }
        for (ShardOwner owner : owners) {
            if (withRows.add(owner.nodeId())) { // of an earlier version, or taken before its first beat
                shown.add(new NodesStatus.Node(
                        owner.nodeId(),
                        owner.description(),
                        isOld ? NodesStatus.UNKNOWN : NodesStatus.WITHOUT_ROW,
                        owner.nodeId().equals(self),
                        null,
                        null,
                        null,
                        ownedBy(owner.nodeId(), ageMs)));
            }
        }
        return shown;
    }

    private List<NodesStatus.OwnedShard> ownedBy(String nodeId, long ageMs) {
        return owners.stream()
                .filter(owner -> owner.nodeId().equals(nodeId) && owner.leaseLeftMs() > ageMs)
                .map(owner -> new NodesStatus.OwnedShard(owner.shard(), owner.epoch()))
                .toList();
    }
}
