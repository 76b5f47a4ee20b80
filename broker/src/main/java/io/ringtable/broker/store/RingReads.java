package io.ringtable.broker.store;

import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.setting.Setting;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads what a shard holds, and changes nothing: the part of the port for callers that recover a shard or fell behind
 * memory.
 * <p>
 * Thread: {@link #recover} precedes every write. Any thread may call the rest at any time, and waits for a flush no
 * longer than the engine must.
 */
public interface RingReads {

    /**
     * Reads the shard and, in order of sequence, every ring row with {@code gate <= sequence < next}. Rows come without
     * their bodies ({@link StoredMessage#body()} null); {@code pending} is as it was at publish, not as the ledger has
     * it. Whether a row makes sense is the caller's question; the store refuses only what keeps it from reading on.
     */
    ShardState recover(long epoch, Consumer<RingRow> ringRows);

    /**
     * Returns what administrators have set at run time. The shard may be another node's. Fails before anybody has owned
     * a shard of the database.
     */
    List<Setting> readSettings();

    /** Returns the body ids in overflow that neither a ring row between gate and next nor a backlog row names. */
    long[] orphanedBodies();

    /** Returns ring rows by sequence, in order, bodies included; rows that are no longer in the ring are left out. */
    List<StoredMessage> readRing(long[] sequences);

    /**
     * Returns the row of one message, body included, wherever it lies. Returns null if it is over and its row is gone,
     * or if no message has had the number yet. A message that moves to the backlog at this moment may be missing as
     * well.
     */
    MessageRow readMessage(long sequence);

    /** Returns backlog rows of the address above {@code afterSequence}, as the other method of this name. */
    default List<StoredMessage> readBacklog(
            long addressId, int group, int bit, long afterSequence, int messagesMax, long bytesMax) {
        return readBacklog(addressId, group, bit, afterSequence, Long.MAX_VALUE, messagesMax, bytesMax);
    }

    /**
     * Returns backlog rows of the address above {@code afterSequence} that the bit still owes by the ledger, in order,
     * bodies included.
     *
     * @param beforeSequence looks no further: rows that the bit does not owe cost time, and do not count
     * @param messagesMax most rows returned
     * @param bytesMax stops after the row that reaches this many body bytes; at least one row is returned if there is
     *     one
     */
    List<StoredMessage> readBacklog(
            long addressId,
            int group,
            int bit,
            long afterSequence,
            long beforeSequence,
            int messagesMax,
            long bytesMax);

    /**
     * Returns backlog rows of the address above {@code afterSequence} that named the bit when they were moved, in
     * order. Rows come without their bodies ({@link StoredMessage#body()} null); {@code pending} is as it was at the
     * move, whatever was settled since.
     *
     * @param messagesMax most rows returned
     */
    List<StoredMessage> readBacklogFacts(long addressId, int group, int bit, long afterSequence, int messagesMax);

    /**
     * Counts the backlog rows of the address with {@code fromSequence <= sequence < toSequence} that each live
     * subscription still owes, by pending bits, {@code from_sequence} and ledger. Subscriptions that owe none are left
     * out. The caller counts in portions, beside {@link RingWrites#discard}, so nothing has to read a whole backlog to
     * know what is owed in it.
     */
    List<ShardState.OwedCount> countBacklog(long addressId, long fromSequence, long toSequence);

    /** Returns the ledger of the address's backlog. */
    List<Flush.BacklogSettlement> readBacklogLedger(long addressId);

    /**
     * Returns rows of the shard's inbox, lowest ids first, from one snapshot: of two rows of one publisher, the result
     * has both or the first. Empty if only the broker can reach the database.
     *
     * @param leftOut names of addresses whose messages stay where they are
     * @param rowsMax most rows returned
     * @param bytesMax stops before the row that passes this many body bytes; at least one row is returned if there is
     *     one
     */
    List<InboxRow> readInbox(Collection<String> leftOut, int rowsMax, long bytesMax);

    /** Returns the shards of the database that have committed rows in the inbox. Empty where there is no inbox. */
    Set<Integer> readInboxShards();

    /**
     * Returns for each address the shards for which its messages lie in the inbox. Those for this shard are left out.
     * So are those for the lowest shard of the database, where applications lay them down.
     */
    Map<String, Set<Integer>> readPassedOn();

    /** Returns a staged body, whole; {@link StoreFailure.Kind#CORRUPT} if a chunk is missing. */
    byte[] readBody(long bodyId);
}
