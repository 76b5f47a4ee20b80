package io.ringtable.broker.store;

import io.ringtable.broker.message.InboxRow;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads what a shard holds, and changes nothing: the part of the port for those who recover it or fell behind memory.
 * <p>
 * Thread: {@link #recover} precedes every write; the rest may be called by any thread at any time, and does not wait for a
 * flush longer than the engine must.
 */
public interface RingReads {

    /**
     * Reads the shard and, in order of sequence, every ring row with {@code gate <= sequence < next} without its body
     * ({@link StoredMessage#body()} null; {@code pending} as it was at publish, not as the ledger has it). Whether a row
     * makes sense is the caller's question; the store refuses only what keeps it from reading on.
     */
    ShardState recover(long epoch, Consumer<RingRow> ringRows);

    /** Body ids in overflow that neither a ring row between gate and next nor a backlog row names. */
    long[] orphanedBodies();

    /** Ring rows by sequence, in order, bodies included; those that are no longer in the ring are left out. */
    List<StoredMessage> readRing(long[] sequences);

    /**
     * Backlog rows of the address above {@code afterSequence} that the ledger says are still owed by the bit, in order,
     * bodies included.
     *
     * @param messagesMax at most that many
     * @param bytesMax stops after the row that reaches this many body bytes; at least one row is returned if there is one
     */
    List<StoredMessage> readBacklog(
            long addressId, int group, int bit, long afterSequence, int messagesMax, long bytesMax);

    /**
     * Backlog rows of the address above {@code afterSequence} that named the bit when they were moved, in order, without their bodies
     * ({@link StoredMessage#body()} null; {@code pending} as it was at the move, whatever was settled since).
     *
     * @param messagesMax at most that many
     */
    List<StoredMessage> readBacklogFacts(long addressId, int group, int bit, long afterSequence, int messagesMax);

    /**
     * How many backlog rows of the address with {@code fromSequence <= sequence < toSequence} each live subscription still
     * owes by pending bits, {@code from_sequence} and ledger; those that owe none are left out. Called in portions, beside
     * {@link #discard}, so that nothing has to read a backlog to know what is owed in it.
     */
    List<ShardState.OwedCount> countBacklog(long addressId, long fromSequence, long toSequence);

    /** The ledger of the address's backlog. */
    List<Flush.BacklogSettlement> readBacklogLedger(long addressId);

    /**
     * What is in the inbox, lowest ids first, as one snapshot has it: who published twice has both or the first in what
     * is returned. Nothing where nobody but the broker can reach the database.
     *
     * @param leftOut names of addresses whose messages stay where they are
     * @param rowsMax at most that many
     * @param bytesMax stops before the row that passes this many body bytes; at least one row is returned if there is one
     */
    List<InboxRow> readInbox(Collection<String> leftOut, int rowsMax, long bytesMax);

    /** A staged body, whole; {@link StoreFailure.Kind#CORRUPT} if a chunk is missing. */
    byte[] readBody(long bodyId);
}
