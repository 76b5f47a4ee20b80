package io.ringtable.broker.status;

/**
 * Shows one of the shards that this node has or waits for. Immutable.
 *
 * @param number from 0
 * @param phase as that of the broker. A shard that is taken and waits for the others is {@code STARTING}. A shard
 *     may be {@code RESTARTING}, {@code STANDBY} or {@code FAILED} while the broker serves others
 * @param text why, for people
 * @param figures null while the shard does not run here
 * @param hasBegun whether the cluster has the shard: as long as a node knows fewer shards, those beyond have not begun
 * @param owner another node that owns the shard. {@link Owner#NOBODY} = any node of the cluster may take it, and none
 *     is seen that has. Null = this node has the shard, or is to have it
 */
public record ShardStatus(
        int number, BrokerState.Phase phase, String text, BrokerStatus.Shard figures, boolean hasBegun, Owner owner) {
    /**
     * Names a node.
     *
     * @param node description for people
     * @param url where clients reach it; null while it has told none
     */
    public record Owner(String node, String url) {
        static final Owner NOBODY = new Owner("", null);

        @Override
        public String toString() {
            return "node '" + node + "' at " + (url == null ? "a URL that it has not told yet" : url);
        }
    }

    /** Shows a shard that is this node's business. */
    public ShardStatus(int number, BrokerState.Phase phase, String text, BrokerStatus.Shard figures) {
        this(number, phase, text, figures, true, null);
    }

    /** Shows the same shard of a cluster, whose owner is another node. @param other null = none is seen */
    public ShardStatus ownedBy(Owner other) {
        return new ShardStatus(number, phase, text, figures, hasBegun, other == null ? Owner.NOBODY : other);
    }

    /** Shows the same shard while the cluster does not have it yet. @param why for people */
    public ShardStatus notBegun(String why) {
        return new ShardStatus(number, phase, why, null, false, Owner.NOBODY);
    }

    /** Answers whether another node is seen that owns the shard. */
    public boolean isElsewhere() {
        return owner != null && !owner.equals(Owner.NOBODY);
    }

    /** Answers whether this node is not ready because of the shard. */
    public boolean isMissed() {
        return !isActive() && owner == null;
    }

    /** Answers whether this node owns the shard and serves it. */
    public boolean isActive() {
        return phase == BrokerState.Phase.ACTIVE;
    }
}
