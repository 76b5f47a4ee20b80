package io.ringtable.broker;

import io.ringtable.broker.amqp.encoding.AmqpInboxEncoder;
import io.ringtable.broker.amqp.encoding.AmqpMessageFormat;
import io.ringtable.broker.amqp.inspect.AmqpMessageCodec;
import io.ringtable.broker.amqp.selector.AmqpSelector;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.config.InboxProperties;
import io.ringtable.broker.config.RestartProperties;
import io.ringtable.broker.config.RingProperties;
import io.ringtable.broker.config.RingtableProperties;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.inbox.InboxCrossing;
import io.ringtable.broker.inbox.SharedLooks;
import io.ringtable.broker.placement.Placement;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.shard.ShardParts;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitMonitors;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Holds the settings of the shards. Refuses properties that contradict each other across their records; each record
 * checks its own bounds.
 *
 * @param shards how many shards the node has
 * @param placement in which database each of them lies
 * @param lease how long a silent owner keeps the shard, by the database's clock
 * @param geometry of a new ring
 * @param policies rules for messages, by address
 * @param cluster whether other nodes serve shards at the same time, and which ones this node may take
 */
public record ShardSettings(
        int shards,
        Placement placement,
        Duration lease,
        RingGeometry geometry,
        CommitProperties commit,
        DispatchProperties dispatch,
        InboxProperties inbox,
        RestartProperties restart,
        AddressPolicies policies,
        RingtableProperties.Cluster cluster) {

    /**
     * Divisor of the ring for the largest flush, so that the stretch behind the gate can be cleared
     * meanwhile.
     */
    private static final int FLUSH_PART = 4;

    public ShardSettings {
        if (commit.batchMessagesMax() > geometry.capacity() / FLUSH_PART) {
            throw new ConfigurationRefused(
                    "RT-1042",
                    "ringtable.commit.batch-messages-max=" + commit.batchMessagesMax()
                            + " is more than a quarter of ringtable.ring.capacity=" + geometry.capacity()
                            + ": raise ringtable.ring.capacity or lower ringtable.commit.batch-messages-max");
        }
        ConfiguredPolicies.checkRetention(dispatch, commit);
        ConfiguredPolicies.checkDuplicateIds(policies, commit);
        ConfiguredPolicies.checkParts(dispatch, shards);
        for (int shard : cluster.shards()) {
            if (shard < 0 || shard >= shards) {
                throw new ConfigurationRefused(
                        "RT-1221",
                        "ringtable.cluster.shards names shard " + shard + ", and ringtable.shards=" + shards
                                + ": name shards from 0 to " + (shards - 1));
            }
        }
    }

    /** Tells whether other nodes serve shards at the same time. One shard has one owner, whatever the setting. */
    boolean areShared() {
        return cluster.enabled() && shards > 1;
    }

    /** Puts the records together, with the policies that they name. */
    public static ShardSettings of(
            RingtableProperties root,
            RingProperties ring,
            CommitProperties commit,
            DispatchProperties dispatch,
            InboxProperties inbox,
            RestartProperties restart) {
        return new ShardSettings(
                root.shards(),
                new Placement(root.stores(), root.shards()),
                root.lease(),
                new RingGeometry(ring.capacity()),
                commit,
                dispatch,
                inbox,
                restart,
                ConfiguredPolicies.of(dispatch, root),
                root.cluster());
    }

    /**
     * Returns what each shard of the process gets, whichever it is, with its share of what is for all together.
     *
     * @param crossings ways to what lies for a shard in other databases
     * @param looks of the collectors in the database of a shard
     */
    ShardParts parts(
            Reconciler.Node node,
            IntFunction<List<InboxCrossing>> crossings,
            IntFunction<SharedLooks> looks,
            CommitMonitors monitors,
            MessageTraces traces) {
        return new ShardParts(
                node,
                commit.share(shards),
                dispatch.share(shards),
                inbox,
                policies,
                new AmqpMessageFormat(traces),
                crossings,
                looks,
                new AmqpInboxEncoder(traces),
                AmqpSelector::compile,
                new AmqpMessageCodec(traces),
                monitors,
                traces);
    }
}
