package io.ringtable.broker.work;

/**
 * Gives each shard of a process what watches its committer.
 * <p>
 * Thread: housekeeper.
 */
@FunctionalInterface
public interface CommitMonitors {

    /** Returns what watches a shard, by its number from 0. The question comes again whenever the shard starts. */
    CommitMonitor ofShard(int shard);
}
