package io.ringtable.broker.status;

/**
 * Shows one of the shards that this node has or waits for. Immutable.
 *
 * @param number from 0
 * @param phase as that of the broker. A shard that is taken and waits for the others is {@code STARTING}. A shard
 *     may be {@code RESTARTING}, {@code STANDBY} or {@code FAILED} while the broker serves others
 * @param text why, for people
 * @param figures null while the shard does not run here
 */
public record ShardStatus(int number, BrokerState.Phase phase, String text, BrokerStatus.Shard figures) {

    /** Answers whether this node owns the shard and serves it. */
    public boolean isActive() {
        return phase == BrokerState.Phase.ACTIVE;
    }
}
