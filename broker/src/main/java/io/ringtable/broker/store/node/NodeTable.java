package io.ringtable.broker.store.node;

import java.util.List;

/**
 * Keeps which nodes there are, for people and for other nodes. The table says nothing about ownership: a node that is
 * lost in it, or not in it at all, owns its shards all the same.
 * <p>
 * All instants are those of the database's clock. On a server the calls share no connection and no lock with the
 * shards, and delay neither a flush nor a renewal. A file is written with a change, or once a minute.
 * <p>
 * Thread: one at a time. Failure: {@code StoreFailure} only, with the code {@link #NOT_LAID} while the schema has no
 * such table yet.
 */
public interface NodeTable {
    /** Is the code of the failure of a schema without the table. */
    String NOT_LAID = "RT-4540";

    /**
     * Says what a node writes about itself.
     *
     * @param nodeId that the node keeps across restarts
     * @param runId of this process, at most 36 characters: two processes with one node id write different ones
     * @param description for people: host and process
     * @param version of the broker
     * @param state what the broker does, at most 20 characters
     * @param url where clients reach the node; null while it has no port
     * @param leaseMs for how long the node counts as alive after a beat, above 0
     */
    record Node(
            String nodeId, String runId, String description, String version, String state, String url, long leaseMs) {}

    /**
     * Shows a row of the table.
     *
     * @param ageMs since the node's last beat, 0 or above
     */
    record SeenNode(Node node, long ageMs) {}

    /**
     * Shows who owns a shard.
     *
     * @param description of the owner, for people
     * @param leaseLeftMs until the lease ends; {@link Long#MAX_VALUE} = without end
     */
    record ShardOwner(int shard, long epoch, String nodeId, String description, long leaseLeftMs) {}

    /**
     * Writes that the node is there, and returns all rows as they were before. Among them is the node's own one, as its
     * last beat has left it, or another process with the same id. Rows from the future, which a clock that was set back
     * leaves, are made to be of now.
     */
    List<SeenNode> beat(Node node);

    /** Removes the row of a process. Nothing happens if another process has written the row since. */
    void forget(String nodeId, String runId);

    /**
     * Returns the owners whose lease runs, of all shards that lie in this database, by number. There is none while the
     * schema has no table of nodes.
     */
    List<ShardOwner> owners();

    /** Names the database. Two stores with the same place have this table in common. */
    String place();
}
