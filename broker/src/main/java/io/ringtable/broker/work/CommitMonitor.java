package io.ringtable.broker.work;

import io.ringtable.broker.agent.LongestTurn;
import java.util.List;

/**
 * Watches the committer, for metrics and health.
 * <p>
 * Thread: committer calls; implementations count and return. A monitor that is given to a broker with several shards
 * hears all of them, and their committers call at the same time.
 */
public interface CommitMonitor extends CommitMonitors {

    /** Returns this one for each shard. */
    @Override
    default CommitMonitor ofShard(int shard) {
        return this;
    }

    /**
     * Counts a durable flush.
     *
     * @param nanos from handing the flush to the store until it was durable
     */
    void flushed(int messages, int settlements, long bytes, long nanos);

    /**
     * Hears of messages that are durable, or that nobody owes, before their publishers hear of it. A message that
     * several groups of subscriptions owe has a row for each, one of them {@link Committed#first}.
     *
     * @param messages in order of their sequence; valid during the call
     */
    default void committed(List<Committed> messages) {}

    /**
     * Hears of settlements of stored subscriptions that are durable, after {@link #committed} of the same flush.
     *
     * @param settlements valid during the call
     */
    default void settled(List<Settle> settlements) {}

    void reclaimed(long movedToBacklog, long nanos);

    /**
     * Counts messages and settlements of the inbox that are now durable in the ring and its ledger.
     *
     * @param oldestMs age of the oldest of them when it was read
     */
    void collected(int messages, int settlements, long oldestMs);

    /** Counts messages that were stored before: they are accepted without being stored again. */
    void duplicates(int messages);

    /**
     * Hears that the store takes no writes, or takes them again.
     *
     * @param why null when the store takes writes again
     */
    void storeTrouble(String why);

    /** Returns what hears the length of each turn of the committer; called before the shard starts. */
    default LongestTurn committerTurn() {
        return new LongestTurn();
    }

    /** Returns what hears the length of each turn of the dispatcher; called before the shard starts. */
    default LongestTurn dispatcherTurn() {
        return new LongestTurn();
    }

    CommitMonitor NONE = new CommitMonitor() {
        @Override
        public void flushed(int messages, int settlements, long bytes, long nanos) {}

        @Override
        public void reclaimed(long movedToBacklog, long nanos) {}

        @Override
        public void collected(int messages, int settlements, long oldestMs) {}

        @Override
        public void duplicates(int messages) {}

        @Override
        public void storeTrouble(String why) {}
    };
}
