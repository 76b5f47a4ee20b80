package io.ringtable.broker.shard;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.commit.TracedCommits;
import io.ringtable.broker.config.CommitProperties;
import io.ringtable.broker.config.DispatchProperties;
import io.ringtable.broker.config.InboxProperties;
import io.ringtable.broker.dispatch.consumer.MessageFormat;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.inbox.InboxCrossing;
import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.inbox.SharedLooks;
import io.ringtable.broker.inspect.MessageCodec;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.CommitMonitors;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Holds what a process gives to each shard that it runs: the settings, and what reads and writes messages. None of it
 * belongs to one shard.
 *
 * @param node who asks for shards
 * @param policies rules for messages, by address, as they are configured
 * @param format reads and writes encoded messages
 * @param crossings for each shard the ways to what lies for it in other databases; the shard closes them
 * @param looks for each shard those of all collectors in its database
 * @param inboxEncoder encodes what applications publish through the inbox; null where no store has one
 * @param selectors reads selectors
 * @param codec decodes messages for people
 * @param monitors for each shard what hears of what becomes durable, on its committer's thread
 * @param traces hears of sampled messages
 */
public record ShardParts(
        Reconciler.Node node,
        CommitProperties commit,
        DispatchProperties dispatch,
        InboxProperties inbox,
        AddressPolicies policies,
        MessageFormat format,
        IntFunction<List<InboxCrossing>> crossings,
        IntFunction<SharedLooks> looks,
        InboxEncoder inboxEncoder,
        Selector.Compiler selectors,
        MessageCodec codec,
        CommitMonitors monitors,
        MessageTraces traces) {

    /** Returns what hears the commits of a shard: also the traces, where they are on. */
    CommitMonitor commits(int shard) {
        CommitMonitor monitor = monitors.ofShard(shard);
        return traces.isOn() ? new TracedCommits(monitor, traces) : monitor;
    }
}
