package io.ringtable.broker.store;

import java.util.List;

/**
 * Changes what a shard holds: the part of the port for its owner. Every write names the caller's epoch, and fails as
 * {@link StoreFailure.Kind#FENCED} if the shard has another one now.
 * <p>
 * Thread: {@link #flush}, {@link #reclaim}, {@link #discard} and {@link #alter} belong to the committer, one at a time.
 * Any thread may call {@link #stage}, {@link #unstage} and {@link #passOn} at any time.
 */
public interface RingWrites {

    /** Makes the changes durable together, in order. */
    void alter(long epoch, List<CatalogChange> changes);

    /** Makes claims and settlements durable together; see {@link Flush}. One transaction, one round trip on servers. */
    void flush(Flush flush);

    /**
     * Copies into the backlog what live subscriptions still owe in {@code [gate, newGate)} by the tables, and raises
     * the gate. The same transaction drops the ledger rows of the passed blocks, and prepares the freed slots for their
     * next lap.
     *
     * @param newGate a multiple of {@code RingGeometry.BLOCK}, at most one segment above {@code gate}
     * @param owedExpected messages that the caller's durable image says are moved; another count is {@link
     *     StoreFailure.Kind#CORRUPT} and changes nothing
     * @return summaries of the addresses whose backlog grew, as they are now
     */
    List<ShardState.BacklogSummary> reclaim(long epoch, long gate, long newGate, long owedExpected);

    /**
     * Deletes backlog rows of the address with {@code fromSequence <= sequence < toSequence} that nobody owes any more,
     * with the ledger rows of blocks that have no row left.
     *
     * @return the address's summary as it is now, with 0 messages if nothing is left
     */
    ShardState.BacklogSummary discard(long epoch, long addressId, long fromSequence, long toSequence);

    /** Stores a large body, in chunks, before the flush that claims its message. Never reuses a body id. */
    void stage(long epoch, long bodyId, byte[] body);

    /** Deletes bodies that nobody owes any more, or that were never claimed. */
    void unstage(long epoch, long[] bodyIds);

    /**
     * Passes messages of the inbox on to the inbox of another shard, all of them or none. Messages keep their ids, so a
     * reader there finds the messages of each publisher in their order. Those of a shard of another database stay in
     * this one until that shard takes them over ({@link RingCrossings}). Another count of rows is {@link
     * StoreFailure.Kind#CORRUPT}. Waits for no flush.
     *
     * @param home number of the other shard
     * @param inboxIds none twice; at most as many as one {@link RingReads#readInbox} returns
     */
    void passOn(long epoch, int home, List<Long> inboxIds);
}
