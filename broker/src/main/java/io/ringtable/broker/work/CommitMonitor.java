package io.ringtable.broker.work;

import io.ringtable.broker.agent.LongestTurn;

/**
 * Watches the committer: metrics and health.
 * <p>
 * Thread: committer calls; implementations count and return.
 */
public interface CommitMonitor {

    /** @param nanos from handing the flush to the store until it was durable */
    void flushed(int messages, int settlements, long bytes, long nanos);

    void reclaimed(long movedToBacklog, long nanos);

    /**
     * Messages and settlements of the inbox have become durable in the ring and its ledger.
     *
     * @param oldestMs since the oldest of them was laid down, when it was read
     */
    void collected(int messages, int settlements, long oldestMs);

    /** So many messages were stored before, and are accepted without being stored again. */
    void duplicates(int messages);

    /** @param why null when the store takes writes again */
    void storeTrouble(String why);

    /** Hears how long each turn of the committer took; asked for once, before the shard starts. */
    default LongestTurn committerTurn() {
        return new LongestTurn();
    }

    /** The same of the dispatcher. */
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
