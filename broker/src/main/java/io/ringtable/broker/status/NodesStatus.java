package io.ringtable.broker.status;

import java.util.List;
import java.util.Set;

/**
 * Shows the nodes of the database, as one of them sees them. Immutable.
 *
 * @param nodes by description; none before the first look at the database
 * @param trouble what keeps this node from seeing the others, or from being seen, with its code; null if nothing does
 */
public record NodesStatus(List<Node> nodes, String trouble) {
    /** Stands for a node that was not seen for longer than its lease. */
    public static final String LOST = "LOST";
    /** Stands for a node while the one that shows it has not read the table for longer than its own lease. */
    public static final String UNKNOWN = "UNKNOWN";
    /** Stands for a node that owns a shard and writes no row: it has an earlier version, or has just come. */
    public static final String WITHOUT_ROW = "UNSEEN";

    /** Shows no node. */
    public static final NodesStatus NONE = new NodesStatus(List.of(), null);

    private static final Set<String> NOT_KNOWN_ALIVE = Set.of(LOST, UNKNOWN);

    public NodesStatus {
        nodes = List.copyOf(nodes);
    }

    /**
     * Shows a node.
     *
     * @param id that the node keeps across restarts
     * @param description host and process
     * @param state what the node said of itself, such as {@code STANDBY}; or one of the constants above
     * @param self whether it is the one that shows them
     * @param version null if the node writes no row
     * @param url where clients reach it; null while it has no port
     * @param seenMsAgo since its last beat, by the database's clock; null if the node writes no row
     * @param shards that it owns, by number; none while it stands by
     */
    public record Node(
            String id,
            String description,
            String state,
            boolean self,
            String version,
            String url,
            Long seenMsAgo,
            List<OwnedShard> shards) {
        public Node {
            shards = List.copyOf(shards);
        }
    }

    /** Names a shard that a node owns, with the epoch of that. */
    public record OwnedShard(int shard, long epoch) {}

    /** Counts the nodes that were seen within their lease, or own a shard. */
    public long alive() {
        return nodes.stream()
                .filter(node -> !NOT_KNOWN_ALIVE.contains(node.state()))
                .count();
    }

    /** Returns the nodes that were not seen for longer than their lease. */
    public List<Node> lost() {
        return nodes.stream().filter(node -> node.state().equals(LOST)).toList();
    }

    /** Counts the shards that this node owns by the database. */
    public int owned() {
        return nodes.stream()
                .filter(Node::self)
                .mapToInt(node -> node.shards().size())
                .sum();
    }
}
